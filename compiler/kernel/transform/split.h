// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts the iterations of one loop into two loops, one after the other.
//
//   label i: band i: S                        for 0 <= i < n
//   => (head, tail) = split(i; 64)
//   sequence { label head: band i: S, i < 64 ; label tail: band i: S, i >= 64 }
//
// The first loop gets so many iterations, counted from the loop's first one for each iteration of the loops around, or
// fewer if there are not so many. Without names for the results the first loop keeps its label, and the second one is
// called i_rest; loops inside it get the same ending. No instance moves, so the step is always legal. Strips of the same
// length, one after the other, are a matter of `tile`.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation splitTransformation();

} // namespace pbc::kernel
