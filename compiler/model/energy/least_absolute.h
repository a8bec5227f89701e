// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regression with the least sum of absolute errors and coefficients that are not negative:
//
//   minimise sum_i |A_i x - b_i|, x >= 0
//
//   leastAbsolute({{1, 0}, {1, 1}, {1, 2}, {1, 3}}, {1, 3, 100, 7})   {1, 2}: the third row is an outlier
//
// This is a linear program, solved exactly: its dual has as many rows as there are coefficients, and its
// variables lie between two bounds, so a simplex with a dense tableau takes few steps. After steps without
// gain it uses Bland's rule, so it terminates.
//
// Invariant: the result is a vertex: as many rows as there are positive coefficients are met up to rounding.
// Source: cost-models.md section 2.4 (Model B); dual: max b'y, A'y <= 0, -1 <= y <= 1.
#pragma once
#include <vector>

namespace pbc::model {

/// Rows of A have equal lengths and entries that are finite and not negative; b is finite, of as many rows.
std::vector<double> leastAbsolute(const std::vector<std::vector<double>> &a, const std::vector<double> &b);

} // namespace pbc::model
