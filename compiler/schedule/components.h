// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Groups of rule applications that need each other.
//
//   0 -> 1 -> 2 -> 1, 2 -> 3        =>      {0}, {1, 2}, {3}
//
// Each group follows those that it needs. Tarjan, *Depth-first search and linear graph algorithms*, 1972.
#pragma once
#include "compiler/schedule/plan.h"
#include <functional>

namespace pbc::schedule {

/// The strongly connected components of 0 .. n - 1, each in ascending order. `needs(a, b)`: b must run after a.
std::vector<std::vector<int>> stronglyConnected(int n, const std::function<bool(int a, int b)> &needs);

/// The dependences from points of one use to points of another one.
isl::union_map dependencesBetween(const isl::union_map &, const RuleUse &from, const RuleUse &to);

/// Positions of the uses, in groups that `dependences` connect in both directions.
std::vector<std::vector<int>> componentsOf(const std::vector<RuleUse> &, const isl::union_map &dependences);

} // namespace pbc::schedule
