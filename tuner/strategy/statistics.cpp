// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace pbc::tuner {
namespace {

constexpr double kSame = 0.02, kChance = 0.05;

struct Logarithms {
  double mean = 0;
  double variance = 0; // of one run
  double count = 0;
};

double logarithm(double seconds) { return std::log(std::max(seconds, 1e-9)); }

/// Removes the runs that other work has lengthened: those far above the lower median.
std::vector<double> undisturbed(std::vector<double> seconds) {
  constexpr double kFar = 1.3;
  std::sort(seconds.begin(), seconds.end());
  const double most = seconds.empty() ? 0 : kFar * seconds[(seconds.size() - 1) / 2];
  std::erase_if(seconds, [&](double value) { return value > most; });
  return seconds;
}

Logarithms logarithms(const std::vector<double> &seconds, double guess = kGuessedDeviation) {
  Logarithms result;
  result.count = static_cast<double>(seconds.size());
  for (double value : seconds)
    result.mean += logarithm(value) / result.count;
  double squares = guess * guess; // one assumed observation
  for (double value : seconds)
    squares += std::pow(logarithm(value) - result.mean, 2);
  result.variance = squares / result.count;
  return result;
}

double normalBelow(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

/// Probability of at least t, by Student's distribution (Abramowitz and Stegun, 26.7.3 and 26.7.4).
double studentAbove(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom)), cosine = std::cos(angle);
  const bool isOdd = freedom % 2 == 1;
  double sum = 0, term = isOdd ? cosine : 1;
  for (int k = isOdd ? 3 : 2; k <= freedom; k += 2) {
    sum += term;
    term *= cosine * cosine * (k - 1) / k;
  }
  const double within =
      isOdd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 - within) / 2;
}

/// Probability of at least `wins` heads in `games` coin tosses.
double byChance(int wins, int games) {
  double sum = 0, term = 1; // term = binomial(games, i)
  for (int i = 0; i <= games; ++i) {
    if (i >= wins)
      sum += term;
    term = term * (games - i) / (i + 1);
  }
  return sum / std::exp2(games);
}

/// An upper bound of the median with 95 % confidence, by order statistics; infinite for fewer than 5 values.
double medianAtMost(std::vector<double> values) {
  const int count = static_cast<int>(values.size());
  int above = 0; // number of values that are at least as large as the bound
  while (above < count && byChance(count - above, count) <= 0.05)
    ++above;
  if (above == 0)
    return std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(count - above)];
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double lowerQuartile(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  return values[(values.size() - 1) / 4];
}

double typicalSeconds(const std::vector<double> &seconds) {
  return std::exp(logarithms(undisturbed(seconds)).mean);
}

double upperBound(const std::vector<double> &seconds) {
  const Logarithms l = logarithms(seconds);
  return std::exp(l.mean + 1.96 * std::sqrt(l.variance));
}

void Noise::learn(const std::vector<double> &all) {
  const std::vector<double> seconds = undisturbed(all);
  if (seconds.size() < 2)
    return;
  double mean = 0;
  for (double value : seconds)
    mean += logarithm(value) / static_cast<double>(seconds.size());
  for (double value : seconds)
    squares_ += std::pow(logarithm(value) - mean, 2);
  freedom_ += static_cast<double>(seconds.size()) - 1;
}

double Noise::deviation() const {
  // The assumed value weighs as much as ten repetitions; below 1 %, no clock of a shared machine can be
  // trusted.
  constexpr double kWeight = 10;
  const double variance =
      (kWeight * kGuessedDeviation * kGuessedDeviation / 4 + squares_) / (kWeight + freedom_);
  return freedom_ < kWeight ? kGuessedDeviation : std::max(std::sqrt(variance), 0.01);
}

Verdict judge(const std::vector<double> &a, const std::vector<double> &b, double guess, double confidence) {
  const Logarithms la = logarithms(undisturbed(a), guess), lb = logarithms(undisturbed(b), guess);
  const double difference = lb.mean - la.mean; // positive: a is faster
  const double deviation = std::sqrt(la.variance / la.count + lb.variance / lb.count);
  const double faster = normalBelow(difference / deviation);
  const double same =
      normalBelow((kSame - difference) / deviation) - normalBelow((-kSame - difference) / deviation);
  if (same > confidence)
    return Verdict::Same;
  if (faster > confidence)
    return Verdict::Faster;
  if (faster < 1 - confidence)
    return Verdict::Slower;
  return Verdict::Unclear;
}

Pairs judgePairs(const std::vector<double> &reference, const std::vector<double> &candidate, int rivals) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(reference.size(), candidate.size()); ++i)
    logs.push_back(std::log(std::max(candidate[i], 1e-9) / std::max(reference[i], 1e-9)));
  Pairs result;
  const int count = static_cast<int>(logs.size());
  if (count == 0)
    return result;
  result.ratio = std::exp(median(logs));
  result.most = std::exp(medianAtMost(logs));
  if (count < 3)
    return result;
  double mean = 0, squares = 0;
  for (double value : logs)
    mean += value / count;
  for (double value : logs)
    squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (count - 1) / count);
  const int wins = static_cast<int>(std::count_if(logs.begin(), logs.end(), [](double v) { return v < 0; }));
  // The t-test is strong when times are well behaved; the sign test is not affected by a single outlier.
  const double below = studentAbove(-mean / std::max(error, 1e-12), count - 1);
  result.faster = std::min(below, byChance(wins, count)) < kChance / rivals && result.ratio < 0.99;
  result.clearlySlower = below > 1 - kChance && result.ratio > 1.01;
  return result;
}

} // namespace pbc::tuner
