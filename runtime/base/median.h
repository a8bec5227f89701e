// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The middle of some times: what --time prints, and what a tuner is told of short runs.
//
//   medianOf({0.3, 0.1, 0.2})  ->  0.2
//
// Programs do not contain the tuner, which has its own (tuner/strategy/statistics.h).
#pragma once
#include <algorithm>
#include <vector>

namespace pb::base {

/// The mean of the two in the middle of an even number; of at least one value.
inline double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

} // namespace pb::base
