// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/pareto.h"

#include <algorithm>
#include <numeric>

namespace pbc::model {

std::vector<size_t> paretoFront(const std::vector<TwoCosts> &points) {
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return points[a].first != points[b].first ? points[a].first < points[b].first
                                              : points[a].second < points[b].second;
  });
  std::vector<size_t> front;
  for (const size_t i : order)
    if (front.empty() || points[i].second < points[front.back()].second)
      front.push_back(i);
  return front;
}

} // namespace pbc::model
