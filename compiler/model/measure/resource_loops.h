// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops that use one resource of a core and nothing else: as many instructions at once as it takes, or one
// after the other.
//
//   {FmaF64, numbers 8, independent, 96 instructions a round}   vectors of 64 bytes, 12 sums side by side
//   {FmaF64, numbers 1, ..., dependent, 64 a round}             also one sum, each step of which needs the last
//
// Invariant: all operands are in registers (loads and stores: in 2 KiB of the nearest cache), and all values
// stay 1 or whole, so that none is slow for other reasons. The compiler can neither remove an instruction nor
// make one of several: each result of a scalar loop passes through an empty asm statement, vector loops are
// written as instructions (vector_loops.h).
#pragma once
#include "compiler/model/machine/resource.h"

#include <vector>

namespace pbc::model {

struct ResourceLoop {
  ResourceKind kind = ResourceKind::Issue;
  int numbers = 1; // of one instruction; 0: it has none, or they are not the most
  void (*independent)(long rounds) = nullptr;
  long perRound = 0;                        // instructions
  void (*dependent)(long rounds) = nullptr; // null: no latency is measured with this loop
  long dependentPerRound = 0;
};

/// For the widths of vectors that this processor has.
std::vector<ResourceLoop> resourceLoops();

} // namespace pbc::model
