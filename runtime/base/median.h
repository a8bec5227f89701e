// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The median of some times: --time prints it, and the tuner gets it for short runs.
//
//   medianOf({0.3, 0.1, 0.2})  ->  0.2
//
// The tuner, which programs do not contain, has its own median (tuner/strategy/statistics.h).
#pragma once
#include <algorithm>
#include <vector>

namespace pb::base {

/// The median; of an even number of values, the mean of the two in the middle. There must be at least one
/// value.
inline double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

} // namespace pb::base
