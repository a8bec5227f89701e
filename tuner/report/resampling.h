// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How certain a ratio of two times is: intervals by resampling what was measured (bootstrap), and by order
// statistics.
//
//   Resampling noise({{1.0, 1.1, 1.05}, {0.5, 0.52}, ...});           // the repeated runs of configurations
//   noise.ratio({2.0, 2.1, 2.0}, {1.0, 1.1, 1.0})  ->  Ratio{2.0, low 1.85, high 2.13}
//
// The location is the median; times are compared by their logarithms. A configuration with at least eight
// runs is resampled from its own runs. With fewer runs, which say little about their own noise, the
// deviations of all repeated configurations are added to its median. If nothing was repeated, there is no
// interval.
//
// Invariant: the same input gives the same interval; low <= ratio <= high. Source: Efron's percentile
// bootstrap; the interval of a median by order statistics is the sign test's.
#pragma once
#include <optional>
#include <vector>

namespace pbc::tuner {

struct Interval {
  double low = 0, high = 0; // 95 %
};

struct Ratio {
  double value = 1;
  std::optional<Interval> interval;
  /// The slower one was always stopped at its time limit, so the ratio is only a lower bound.
  bool isAtLeast = false;

  /// Above 1 beyond chance, and by more than 1 %, below which no machine's clock can be trusted.
  bool isAbove() const { return isAtLeast ? value > 1 : interval && interval->low > 1 && value > 1.01; }
  bool isBelow() const { return !isAtLeast && interval && interval->high < 1 && value < 0.99; }
};

class Resampling {
public:
  /// `seconds`: all times of each configuration.
  explicit Resampling(const std::vector<std::vector<double>> &seconds);

  /// The median of `slow` divided by the median of `fast`. Neither may be empty.
  Ratio ratio(const std::vector<double> &slow, const std::vector<double> &fast) const;
  /// The relative standard deviation of one run; an assumed value if nothing was repeated.
  double deviation() const;

private:
  void collect(const std::vector<std::vector<double>> &, std::size_t runs);
  std::vector<double> medians(const std::vector<double> &seconds, unsigned seed) const; // logarithms

  std::vector<double> residuals_; // logarithms of time / median
};

/// The median of values and its interval; no interval for fewer than six values, which cannot give 95 %.
Ratio medianOf(std::vector<double> values);

} // namespace pbc::tuner
