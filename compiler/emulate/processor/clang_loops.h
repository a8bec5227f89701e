// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What Clang makes of a loop of the printed text: vectors, several of them in one round, or its iterations one after the other.
//
//   for c < n: B[c] = 2 * A[c]        32-byte vectors  =>  4 lanes, 4 vectors in a round; the last n % 16 iterations one by one
//   for c < n: s += A[c]                               =>  1 lane: the order of a sum of floating-point numbers stays
//   for c < n: s += A[c]          {may reassociate}    =>  16 lanes: four sums in vectors, which are added when the loop has ended
//   for i < 7: s += A[i]                               =>  written out
//   for c = 8 * t; c < 8 * t + 8: B[c] = A[c]          =>  2 vectors of 4 lanes, and no loop; also of copies that a script asks for
//
// Imitated are the rules that decide most: only innermost loops, no value that goes from one iteration to the next, no cell that is stored and
// loaded, no function that has no instruction; as many vectors in a round as a small body leaves room for. Its cost model, its checks for
// matrices that overlap, and masks are not. Source: LoopVectorize of LLVM 19 (SmallLoopCost, interleave counts, BestKnownTC), SLPVectorizer, bottleneck-analysis.md 8.
#pragma once
#include "compiler/loop/tree.h"
#include <set>
#include <string>

namespace pbc::emulate {

struct LoopCode {
  long lanes = 1;   // iterations that run together: in a vector, or of a sum in several
  long vectors = 1; // in a round
  bool isInnermost = true;
  bool isStraight = false;         // so few iterations, of a constant number, that there is no loop
  std::set<std::string> sums = {}; // local variables to which the iterations of a vector add
};

struct LoopTarget {
  long vectorBytes = 16;
  bool hasGathers = false;   // cells that are apart can be loaded and stored as vectors
  bool reassociates = false; // sums of floating-point numbers may be computed in another order
  int registers = 32;        // of vectors
};

LoopCode loopCode(const loop::For &, const std::vector<loop::Matrix> &, const LoopTarget &);

/// Whether the loop is written out although nobody asked for it: it has constant limits, few iterations, and no loop inside.
bool isWrittenOut(const loop::For &, long turns);

} // namespace pbc::emulate
