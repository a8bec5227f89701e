// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a kernel as spaces of implementations, and a leaf of a space as a script of the registry.
//
//   kernel MM, k = h = w = 256
//   => begin: in_place(s); fission(y, x)      loops y2, x2, i
//      one space for each way to cut them into tiles: y2 in two levels, x2 in two, i in one:
//        dimensions y2t, y2i, x2t, x2i, it, ii;  sizes 2 to 32;  C in registers or memory;  copies of A and B
//   a leaf => in_place(s); fission(y, x); tile(y2, x2, i; 4, 16, 64); order(...); keep(C; at = it);
//             separate(...); unroll(y2i); vector(x2i)
//
// What is inside of the innermost loop of the nest, further loops included, is one instruction. Loops that do not belong to the
// nest stay as they are. The scripts are for one thread; with several cores, each begins with `tasks(y)`, whose loop is shared out in
// parts that follow each other, and a space is of the first part.
//
// Invariant: every leaf's script is legal, because the facts come from the kernel's dependences; a step that the registry
// refuses for another reason makes the leaf invalid, never wrong. Source: lower-bound-search.md, sections 6 and 9.
#pragma once
#include "compiler/kernel/transform/run.h"
#include "compiler/search/nest/nest_work.h"
#include "compiler/search/space.h"
#include <map>
#include <memory>
#include <optional>

namespace pbc::search {

/// The values of sizes, by their names in isl.
using SizeValues = std::map<std::string, long>;

struct NestOptions {
  SizeValues values;
  /// Iterations of the levels inside of others.
  std::vector<long> tileSizes = {2, 4, 8, 16, 32, 64, 128, 256};
  int mostLevels = 2;       // tiles in tiles of one loop
  bool copiesInputs = true; // copies of parts of inputs
  long unrolled = 64;       // copies of a body
  int cores = 1;            // that share the iterations of one loop
  /// Matrices of more bytes may be stored past the caches; nothing: none are.
  std::optional<long> streamsBeyond = std::nullopt;
};

struct NestLoop {
  std::string label;
  long extent = 0; // iterations, at the given sizes
  long first = 0;  // the least value of its variable
  bool isParallel = false;
  bool isOfSum = false;        // it adds to the same cell in each iteration
  bool isFixed = false;        // it has the same iterations whatever the sizes are
  std::vector<int> dimensions; // objects of the structure: the levels, outermost first
};

/// One way to cut the loops of a kernel's largest nest.
struct NestSpace {
  script::Script begin;        // steps in front of all others
  kernel::Scheduled kernel;    // after these
  std::vector<NestLoop> loops; // outermost first
  struct Copy {
    std::string matrix;
    int object;
  };
  std::vector<Copy> copies;
  std::string sum; // the matrix whose cells are sums; "": there is none
  std::string
      stored; // the matrix whose cells may be stored past the caches, which the only access decides; "": there is none
  int body = -1; // object: the instruction
  std::shared_ptr<const Space> space;
  /// What it has to do, whatever is decided; of several cores, what the first one has to do.
  std::shared_ptr<const NestWork> work;
  std::shared_ptr<const NestWork> workOfAll = nullptr; // of several cores together; null: there is one

  /// "in_place(s); fission(y, x); y2 in 2 levels, x2 in 2, i in 1"
  std::string text() const;
};

struct NestSpaces {
  std::vector<NestSpace> spaces;
  std::string why; // if there are none: a sentence
};

/// Ways to begin: with the loops as they are; with those of the bodies written out; with sums in the cells of the output, in a
/// nest of their own; with several sums for one. The kernel has labels.
std::vector<script::Script> nestBeginnings(const kernel::Scheduled &kernel);
/// Nothing if a step does not apply.
std::optional<kernel::Scheduled> afterSteps(const script::Script &, const kernel::Scheduled &kernel);

/// The kernel has no steps behind it. isl's questions have a budget: a kernel that takes too long has no spaces.
NestSpaces nestSpaces(const kernel::Scheduled &lifted, const NestOptions &);

/// The script of a complete state.
script::Script scriptOf(const NestSpace &, const State &leaf);

/// The iterations of a dimension of a complete state; of the outermost level, rounded up.
long iterationsOf(const NestSpace &, const State &leaf, int dimension);

} // namespace pbc::search
