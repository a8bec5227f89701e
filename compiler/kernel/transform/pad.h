// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a loop as long for each iteration of a loop around it, with a condition on the additional steps: a triangle becomes
// a rectangle.
//
//   label x: band x: label k: band k: S[x, k]: s[x] += A[k]                     for 0 <= k <= x
//   => pad(k, along = x)
//   label x: band x: label k: band k: alloc v: sequence                         for 0 <= k < n
//     S_v[x, k]: v[x] = A[k]
//     S[x, k]: s[x] += k <= x ? v[x] : -0.0
//
// The steps that are added change nothing: they add -0.0, which leaves every number as it is, or multiply by 1. Lanes,
// blocks in registers and written-out loops need loops whose length is the same for all points. If `along` is tiled, the
// loop gets the length that the longest iteration of its tile has, so that little is added.
//
// It applies to sums and products. The values of the additional steps are computed, because vector code has no branches:
// what they read must lie in the box around the cells that are read anyway, and they must not divide integers.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation padTransformation();

} // namespace pbc::kernel
