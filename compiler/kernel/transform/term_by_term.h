// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lets the points of a rule add up their sums term by term, all points of a term together, in the cells that they write.
//
//   for x: { s = A[x]; for k < x: s -= F[k] U[x, k]; F[x] = s / D[x] }
//   => term_by_term(x, k)
//   for x_first: F[x] = A[x];  for k: { F[k] = F[k] / D[k];  for x > k: F[x] -= F[k] U[x, k] }
//
// A point's sum has the same terms in the same order. A first value that needs other points joins behind the terms, where that changes no
// result (point_sum.h). What one point needs of another one it needs as a term, so that the loop over points
// becomes parallel where it lies inside, and contiguous where the points are. Legal if nothing reads the cells before their last value is
// there (legal.h); possible if the body is a value, one loop that changes it, and an
// assignment of it to a cell of the same type.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation termByTermTransformation();

} // namespace pbc::kernel
