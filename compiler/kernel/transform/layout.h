// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies all that the kernel reads of a matrix before its loops run, in another order or with longer rows.
//
//   label y: band y: label x: band x: S[y, x]: C[x, y] = A[y, x]
//   => layout(A, order = transposed; pad = 2)
//   alloc A_map: sequence
//     label A0: band A0: label A1: band A1: A_copy[A0, A1]: A_map[A1, A0] = A[A0, A1]
//     label y: band y: label x: band x: S[y, x]: C[x, y] = A_map[x, y]
//
// It is a `stage` above all loops, for matrices that the loops walk through again and again in the wrong order: the memory has as
// many cells as the kernel reads, which the task knows when it runs. After `tasks` each task copies what it reads itself.
// Legal if the kernel does not write the matrix. GM_map of OA's scripts.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation layoutTransformation();

} // namespace pbc::kernel
