// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a space needs to know of a kernel's largest nest: its loops, how many iterations they have, and what its dependences
// allow.
//
//   S1[x, y, i]: C[x, y] += A[i, y] * B[x, i]     k = h = w = 256
//   => loops y2 (256, parallel), x2 (256, parallel), i (256, of the sum); permutable; the sum is C; A and B are reused
//
// Of several nests, the one with the most iterations is meant, those of loops in its body included.
#pragma once
#include "compiler/kernel/schedule.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pbc::search {

struct NestFacts {
  struct Loop {
    std::string label;
    long extent = 0;
    long first = 0; // the least value of its variable
    bool isParallel = false;
    bool isOfSum = false; // it adds to the same cell in each iteration
    bool isFixed =
        false; // it has the same iterations whatever the sizes are, in all iterations of the others
    std::vector<int>
        dimension; // by statement of the kernel: which of its dimensions the loop runs over; -1: none
  };
  kernel::Scheduled kernel;
  std::vector<Loop> loops;              // outermost first; what is inside of the last one is the body
  bool isPermutable = false;            // they may be in any order, and be tiled
  std::vector<int> statements;          // in the body, further loops included
  std::vector<std::string> loopsInBody; // labels of those that are not written out
  /// An input of which some loop reads the same cells in each iteration, and the other loops.
  struct Reused {
    std::string matrix;
    std::vector<std::size_t> movesAlong;
    long bytesOfCell = 8;
    /// By coordinate of its cells: the cells that one iteration uses, and how far each loop moves them, in their order.
    struct Coordinate {
      long cells = 1;
      std::vector<long> byLoop;
    };
    std::vector<Coordinate> coordinates;
  };
  std::vector<Reused> reused;
  std::string sum; // the matrix to whose cells sums are added; "": none
};

/// All nests of a kernel, in their order.
struct AllNestFacts {
  std::vector<NestFacts> nests;
  std::string why; // a sentence, if there are none
};

struct NestFactsOutcome {
  std::optional<NestFacts> facts;
  std::string why; // a sentence, if there are none
};

/// '+' or '*': the statement adds to the cell that it writes, or multiplies it, however that is spelled (`s += a`, `s = a + s`);
/// 0: it does neither.
char accumulates(const kernel::Statement &);

/// The names of the limits of a part of the tasks, which have values as sizes do.
std::string lowLimit(std::size_t taskDimension);
std::string highLimit(std::size_t taskDimension);

/// The kernel has labels. `values`: of all its sizes, and of the limits of the part of its tasks that is meant, if it has tasks.
AllNestFacts factsOfNests(const kernel::Scheduled &, const std::map<std::string, long> &values);
/// Of the nest with the most iterations, those of loops in its body included.
NestFactsOutcome nestFacts(const kernel::Scheduled &, const std::map<std::string, long> &values);

} // namespace pbc::search
