// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps what a loop's step reads and writes of a matrix in a small array, from the first use to the last.
//
//   label kt: band kt: label k: band k: label y: band y: label x: band x: S[..]: C[x, y] += A[k, y] * B[x, k]
//   => keep(C, at = kt)
//   label kt: band kt: alloc C_kept: sequence
//     C_copy: C_kept[..] = C[..]  over the cells that the step reads
//     ... S[..]: C_kept[..] += A[k, y] * B[x, k]
//     C_back: C[..] = C_kept[..]  over the cells that the step writes
//
// If the loops over y and x are written out or are vectors of constant length, the array is in registers while k runs. Legal
// for every matrix, because the step uses nothing else of it.
//
// On a device, an item keeps what its points read of an input (group_copies.h), so that what several of them read is loaded once, and 16
// bytes at once where rows allow it: keep(A). With `through = group`, the items of a group copy each plane of it into memory that they share, two
// planes in turns, and read their own cells of it there: what several items read comes from the matrix once.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation keepTransformation();

} // namespace pbc::kernel
