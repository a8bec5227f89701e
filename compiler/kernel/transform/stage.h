// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies what a loop's step reads of a matrix into contiguous scratch memory of the task, before it is used.
//
//   label kt: band kt: label y: band y: ... S[y, x, k]: C[x, y] += A[k, y] * B[x, k]     with 16 steps of k in one of kt
//   => stage(A, at = kt, layout = transposed, pad = 2)
//   label kt: band kt: alloc A_pack: sequence
//     label A0: band A0: label A1: band A1: A_copy[kt, A0, A1]: A_pack[A1 - yt, A0 - kt] = A[A0, A1]
//     label y: band y: ... S[y, x, k]: C[x, y] += A_pack[y - yt, k - kt] * B[x, k]
//
// The copy has exactly the cells that the step reads; the scratch memory has the smallest box of constant size around them.
// Legal if nothing below the loop writes the matrix. The purpose is that cells lie in the order in which they are used, and in
// few pages and cache lines. PPCG's way: Verdoolaege et al., Polyhedral parallel code generation for CUDA, TACO 2013; GM_map
// and SM_alloc of OA's scripts.
//
// Where the points have work-items, the copy is in memory that the items of a group share, and they make it together
// (group_copies.h); without `at`, once for all that an item does. With `buffers = 2` the copy of the next
// step of `at` is made while items read that of this one.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation stageTransformation();

} // namespace pbc::kernel
