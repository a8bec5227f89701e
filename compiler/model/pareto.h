// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The Pareto front of two costs: the points that no other point beats in both.
//
//   paretoFront({{3, 1}, {1, 3}, {2, 2}, {3, 3}})   {1, 2, 0}: the last one is worse than {2, 2}
//
// A value that should be large (performance) is passed with its sign changed. Of equal points the first is
// kept. Invariant: along the front the first cost rises and the second falls, both strictly; for every point
// that is not on the front, a point on it is no worse in both costs. Source: cost-models.md section 4.2.
#pragma once
#include <cstddef>
#include <vector>

namespace pbc::model {

struct TwoCosts {
  double first = 0, second = 0;
};

/// Indices, by rising first cost. Costs must not be NaN.
std::vector<size_t> paretoFront(const std::vector<TwoCosts> &);

} // namespace pbc::model
