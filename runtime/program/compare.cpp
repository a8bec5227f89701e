// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/compare.h"
#include "runtime/base/number.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pb::program {
namespace {

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double d = std::fabs(a - b) / std::max(1.0, std::fabs(b));
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

} // namespace

Difference compare(const matrix::Matrix &found, const matrix::Matrix &reference) {
  Difference result;
  matrix::withType(found.element(), [&](auto zero) {
    using T = decltype(zero);
    const T *a = found.elements<T>(), *b = reference.elements<T>();
    auto note = [&](long i) {
      result.worst = i, result.found = static_cast<double>(a[i]), result.expected = static_cast<double>(b[i]);
    };
    for (long i = 0, n = found.count(); i < n; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        const double d = distance(static_cast<double>(a[i]), static_cast<double>(b[i]));
        if (d > result.value)
          result.value = d, note(i);
      } else if (a[i] != b[i] && ++result.value == 1) {
        note(i);
      }
    }
    result.agrees = result.value <= (std::is_same_v<T, double> ? 1e-9 : std::is_same_v<T, float> ? 1e-4 : 0);
  });
  return result;
}

Difference compareAll(const std::vector<matrix::Matrix> &found, const std::vector<matrix::Matrix> &reference,
                      size_t *worstMatrix) {
  Difference all;
  for (size_t i = 0; i < found.size(); ++i) {
    const Difference d = compare(found[i], reference[i]);
    // An output that disagrees counts more than all that agree, whatever the scales.
    if (std::pair(!d.agrees, d.value) > std::pair(!all.agrees, all.value)) {
      all = d;
      if (worstMatrix)
        *worstMatrix = i;
    }
  }
  return all;
}

std::string print(const Difference &d, const std::string &name, const matrix::Extents &extents) {
  std::string text = name;
  long index = d.worst;
  for (size_t k = 0; k < extents.size(); ++k) {
    text += (k ? ", " : "[") + std::to_string(index % extents[k]);
    index /= extents[k];
  }
  return text + (extents.empty() ? ": found " : "]: found ") + base::number(d.found, 6) + ", expected " +
         base::number(d.expected, 6);
}

} // namespace pb::program
