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
