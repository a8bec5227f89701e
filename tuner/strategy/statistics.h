// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides from a few noisy times which of two configurations is faster.
//
//   judge({0.10, 0.11}, {0.20, 0.19})  -> Faster        judge({0.100}, {0.101})  -> Unclear: measure again
//   judgePairs(default times, candidate times)  -> for the final race: whether the candidate is really faster
//
// Times are compared by their logarithms, because noise is multiplicative. A single time is assumed to have a
// deviation of 15 %, or the one that repetitions of others have shown (`guess`); with more times, their own
// deviation counts more and more. Two are "the same" within 2 %. Of several times, those far above the lower
// median count as disturbed: other work on the machine can only add to times, and where one run in ten takes
// twice as long, the mean of three is wrong by a quarter in one case of four. Source: [R] of
// petabricks-hetero 7.2 (t-like test, confidence 0.75); requirement 78.
#pragma once
#include <limits>
#include <vector>

namespace pbc::tuner {

enum class Verdict { Faster, Slower, Same, Unclear };

inline constexpr double kGuessedDeviation = 0.15;

/// Whether a is faster than b. Neither may be empty. `guess`: the relative deviation that one run is expected
/// to have.
Verdict judge(const std::vector<double> &a, const std::vector<double> &b, double guess = kGuessedDeviation,
              double confidence = 0.75);

/// How much runs of the same configuration differ here, learnt from all that were repeated.
class Noise {
public:
  /// `seconds`: all times of one configuration at one size; to be called once for each.
  void learn(const std::vector<double> &seconds);
  double deviation() const;

private:
  double squares_ = 0;
  double freedom_ = 0;
};

/// exp of the mean logarithm of the times that were not disturbed.
double typicalSeconds(const std::vector<double> &);
/// A time that 95 % of runs, including disturbed ones, do not exceed.
double upperBound(const std::vector<double> &);

/// The result of a paired comparison: times[i] of both were measured right after each other.
struct Pairs {
  double ratio = 1; // median of candidate / reference
  /// Upper bound of the ratio with 95 % confidence; from 5 pairs on.
  double most = std::numeric_limits<double>::infinity();
  bool faster = false; // beyond chance (95 %) and by more than 1 %
  bool clearlySlower = false;
};
/// `rivals`: the number of candidates that are compared with the reference. The probability that any of them
/// is taken to be faster by chance stays within 5 % (Bonferroni).
Pairs judgePairs(const std::vector<double> &reference, const std::vector<double> &candidate, int rivals = 1);

double median(std::vector<double> values);
/// The lower quartile: what a run takes when nothing disturbs it, as other work on the machine can only add
/// to times.
double lowerQuartile(std::vector<double> values);

} // namespace pbc::tuner
