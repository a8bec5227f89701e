// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/components.h"
#include <algorithm>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::schedule {

std::vector<std::vector<int>> stronglyConnected(int n, const std::function<bool(int, int)> &needs) {
  std::vector<int> index(static_cast<std::size_t>(n), -1), low(static_cast<std::size_t>(n), 0), stack;
  std::vector<bool> onStack(static_cast<std::size_t>(n), false);
  std::vector<std::vector<int>> groups;
  int next = 0;
  const std::function<void(int)> visit = [&](int b) {
    index[b] = low[b] = next++;
    stack.push_back(b);
    onStack[b] = true;
    for (int a = 0; a < n; ++a) {
      if (a == b || !needs(a, b))
        continue;
      if (index[a] < 0) {
        visit(a);
        low[b] = std::min(low[b], low[a]);
      } else if (onStack[a])
        low[b] = std::min(low[b], index[a]);
    }
    if (low[b] != index[b])
      return;
    std::vector<int> group;
    int u;
    do {
      u = stack.back();
      stack.pop_back();
      onStack[u] = false;
      group.push_back(u);
    } while (u != b);
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  };
  for (int u = 0; u < n; ++u)
    if (index[u] < 0)
      visit(u);
  return groups;
}

isl::union_map dependencesBetween(const isl::union_map &dependences, const RuleUse &from, const RuleUse &to) {
  return dependences.intersect_domain(isl::union_set(from.domain)).intersect_range(isl::union_set(to.domain));
}

std::vector<std::vector<int>> componentsOf(const std::vector<RuleUse> &uses,
                                           const isl::union_map &dependences) {
  const auto n = uses.size();
  std::vector<bool> needs(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      needs[a * n + b] = a != b && !dependencesBetween(dependences, uses[a], uses[b]).is_empty();
  return stronglyConnected(static_cast<int>(n), [&](int a, int b) {
    return needs[static_cast<std::size_t>(a) * n + static_cast<std::size_t>(b)];
  });
}

} // namespace pbc::schedule
