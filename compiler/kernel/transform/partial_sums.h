// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets a loop that sums up have several sums, which are added up behind it.
//
//   label k: band k: S[x, k]: s[x] += A[k]
//   => (k_zero, k, k_fold) = partial_sums(k; 8)
//   alloc p: sequence
//     label k_zero: band j: Z[x, j]: p[j] = 0                for 0 <= j < 8
//     label k: band k: S[x, k]: p[k mod 8] += A[k]
//     label k_fold: band j: F[x, j]: s[x] += p[j]
//
// Steps that follow each other then do not wait for each other's additions. The order of the additions changes, so that it
// applies to integers, and to other numbers where the kernel may reassociate; products are sums in this sense.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation partialSumsTransformation();

} // namespace pbc::kernel
