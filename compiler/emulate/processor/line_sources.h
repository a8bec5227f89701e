// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From which memory of a processor the lines come that a loop nest loads and stores, without going through its iterations.
//
//   for y < 1000: for x < 1000: B[x, y] = A[x, y - 1] + A[x, y + 1], 8-byte cells, L1 of 32 KiB, L2 of 1 MiB, cold
//   =>  A[x, y + 1]: 1/8 line for each iteration, from memory; A[x, y - 1]: 1/8 line, from L1 if two rows of A and B fit, else from L2
//
// An access moves by a constant number of bytes in each iteration of a loop. From the innermost loop on: what the iteration before has used is
// still in the nearest memory that holds what one iteration uses in all; what another access to the same matrix has used some iterations
// before, in the nearest that holds so many iterations. What is left at the end was never used, or when the nest ran the last time.
// A memory holds the lines that were used last. The first one is found by the place of a line in its page, so that cells whose distance is a
// multiple of a large power of two share few of its sets; farther memories count as fully associative, as theirs follow from physical addresses.
// Source: bottleneck-analysis.md 3.4 (cache mix) and 8 (processors);
// layer conditions of stencils.
#pragma once
#include <cstddef>
#include <vector>

namespace pbc::emulate {

inline constexpr long kLineBytes = 64;

/// A load or a store in a nest of loops.
struct Stream {
  int matrix = 0;
  long byte = 0, bytes = 8;       // of the first execution; cells of 1 to a vector, side by side
  std::vector<long> loops = {};   // around it, the outermost first, by their place in Nest::times
  std::vector<long> strides = {}; // bytes in one iteration of each
  bool isStore = false;
  double cells = 1; // lines apart that one execution uses: those of a gather
  double apart = 0; // bytes from one of them to the next; 0: not known
};

struct Nest {
  std::vector<double> times; // iterations of each loop
  std::vector<Stream> streams;
};

/// For each stream, and each memory behind the first one: how many lines come from it, for one execution. Lines that are stored
/// count when they are fetched and when they are written back.
struct LineSources {
  std::vector<std::vector<double>> lines; // [stream][memory]
  std::vector<bool> areFollowed; // [stream]: a processor sees which line is next, and fetches it ahead
};

/// `bytes`: of the memories from the first one on, without the last one, which holds everything. `isWarm`: the nest ran before with the same
/// matrices.
///
/// With `unit`, of what has so many bytes instead of lines: pages, and as memories those that know so many of them. A store counts once then, and
/// which of them share a set does not matter.
LineSources lineSources(const Nest &, const std::vector<double> &bytes, bool isWarm,
                        double unit = kLineBytes);

} // namespace pbc::emulate
