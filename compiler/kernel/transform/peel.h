// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes loops of their own of the first and the last iterations of a loop.
//
//   label x: band x: S                        for 0 <= x < w
//   => peel(x; first = 1, last = 2)
//   sequence { label x_first: band x: S, x = 0 ; label x: band x: S ; label x_last: band x: S, x >= w - 2 }
//
// The purpose is that what is left is regular: no edge of a matrix, no row shorter than the others. Iterations are counted
// for each iteration of the loops around; a loop with fewer of them has no middle. If neither number is given, both are 1.
// No instance moves, so the step is always legal.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation peelTransformation();

} // namespace pbc::kernel
