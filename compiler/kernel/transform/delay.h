// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Delays updates of cells to the end of a block of steps, where each cell takes all of them at once.
//
//   label k: band k: label y: band y: label x: band x: S[x, y, k]: C[x, y] = C[x, y] - C[k - 1, y] * C[x, k - 1]    1 <= k <= x, y
//   => (kt, k) = delay(k; 4)
//   label kt: band 4*floor((k - 1)/4) + 1: sequence
//     label k: band k: ... S[x, y, k]                 the rows and columns kt .. kt + 3, which steps of the block read
//     label y_late: band y: label x_late: band x: S_late[x, y, k]: C[x, y] = (C[x, y] - C[k - 1, y] * C[x, k - 1]) - C[k, y] * C[x, k] - ..
//
// A factorisation that updates what is left of its matrix in each step goes through memory once a step; with this, once a block. An
// update is late if nothing but later updates of its cell needs it, or is in its way, in the block, and if all steps of the block have
// one for this cell. The others keep their order and come first, or last in a block that has fewer steps. The operations on a cell, and their order, stay what they were.
// Carr, Lehoucq: Compiler blockability of dense matrix factorizations, TOMS 1997, split the same index sets; Dongarra, Hammarling,
// Sorensen: Block reduction of matrices to condensed forms, 1989, delay updates.
//
// The results are the labels of the loop over blocks and of the loop itself; the loops inside have `_late` behind their names for the
// updates that are late, and `_rest` for those at the end. Values that a body has given names to are put in their places (named_values.h).
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation delayTransformation();

} // namespace pbc::kernel
