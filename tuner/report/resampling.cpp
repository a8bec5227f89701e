// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/resampling.h"

#include "tuner/strategy/random.h"
#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr std::size_t kOwn = 8; // with so many runs a configuration shows its own noise
constexpr std::size_t kFew = 12;
constexpr int kDraws = 1000;

std::vector<double> logarithmsOf(const std::vector<double> &seconds) {
  std::vector<double> result;
  for (double value : seconds)
    result.push_back(std::log(std::max(value, 1e-9)));
  return result;
}

} // namespace

Resampling::Resampling(const std::vector<std::vector<double>> &all) {
  collect(all, 3);
  if (residuals_.size() < kFew)
    collect(all, 2);
}

/// The median of two times lies between them, so one disturbed run makes the other one look much too fast.
/// Therefore only configurations with at least three runs are used, if there are some.
void Resampling::collect(const std::vector<std::vector<double>> &all, std::size_t runs) {
  residuals_.clear();
  for (const std::vector<double> &seconds : all) {
    if (seconds.size() < runs)
      continue;
    const std::vector<double> logarithms = logarithmsOf(seconds);
    const double middle = median(logarithms), count = static_cast<double>(seconds.size());
    // The median of few values is closer to them than the true one.
    const double widen = std::sqrt(count / (count - 1));
    for (double value : logarithms)
      residuals_.push_back((value - middle) * widen);
  }
}

double Resampling::deviation() const {
  if (residuals_.empty())
    return kGuessedDeviation;
  double squares = 0;
  for (double value : residuals_)
    squares += value * value;
  return std::sqrt(squares / static_cast<double>(residuals_.size()));
}

/// Samples where the true median may be. With few runs, it differs from the observed one by a deviation like
/// those of other configurations, which is therefore subtracted. A deviation of a single disturbed run then
/// suggests a truth far below the observation, but never far above it.
std::vector<double> Resampling::medians(const std::vector<double> &seconds, unsigned seed) const {
  const std::vector<double> own = logarithmsOf(seconds);
  const bool isOwn = own.size() >= kOwn;
  const double middle = median(own);
  const std::vector<double> &from = isOwn ? own : residuals_;
  std::vector<double> result;
  if (from.empty())
    return result;
  Random random(seed);
  std::vector<double> drawn(own.size());
  for (int i = 0; i < kDraws; ++i) {
    for (double &value : drawn)
      value = from[random.below(from.size())];
    result.push_back(isOwn ? median(drawn) : middle - median(drawn));
  }
  return result;
}

Ratio Resampling::ratio(const std::vector<double> &slow, const std::vector<double> &fast) const {
  Ratio result;
  result.value = std::exp(median(logarithmsOf(slow)) - median(logarithmsOf(fast)));
  const std::vector<double> above = medians(slow, 1), below = medians(fast, 2);
  if (above.empty() || below.empty())
    return result;
  std::vector<double> ratios;
  for (int i = 0; i < kDraws; ++i)
    ratios.push_back(above[i] - below[i]);
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) { return std::exp(ratios[static_cast<std::size_t>(share * kDraws)]); };
  result.interval = Interval{std::min(at(0.025), result.value), std::max(at(0.975), result.value)};
  return result;
}

Ratio medianOf(std::vector<double> values) {
  Ratio result;
  result.value = median(values);
  std::sort(values.begin(), values.end());
  // The largest rank r such that fewer than r of `count` coin tosses are heads with a probability of at most
  // 2.5 %.
  const int count = static_cast<int>(values.size());
  double below = 0, term = std::exp2(-count);
  int rank = 0;
  while (rank < count / 2 && below + term <= 0.025) {
    below += term;
    term = term * (count - rank) / (rank + 1);
    ++rank;
  }
  if (rank > 0)
    result.interval =
        Interval{values[static_cast<std::size_t>(rank) - 1], values[static_cast<std::size_t>(count - rank)]};
  return result;
}

} // namespace pbc::tuner
