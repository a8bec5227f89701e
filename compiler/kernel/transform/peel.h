// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes loops of their own of the first and the last iterations of a loop.
//
//   label x: band x: S                        for 0 <= x < w
//   => peel(x; first = 1, last = 2)
//   sequence { label x_first: band x: S, x = 0 ; label x: band x: S ; label x_last: band x: S, x >= w - 2 }
//
// The purpose is that what is left is regular: no edge of a matrix, no row shorter than the others. Iterations are counted
// for each iteration of the loops around; a loop with fewer of them has no middle. If neither number is given, both are 1.
//
//   label xt: band 16*floor(x/16): label x: band x: label k: band k: S      for 0 <= k <= x
//   => peel(k, along = x)
//   ... label x: band x: sequence { label k: band k: S, k <= xt ; label k_last: band k: S, xt < k }
//
// With `along`, what stays are the steps that occur in each iteration of that loop: the rectangle of a triangle. The steps
// before and behind them become loops of their own.
//
// No instance moves, so the step is always legal.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation peelTransformation();

} // namespace pbc::kernel
