// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Deciding from a few noisy times which of two configurations is faster.
//
//   judge({0.10, 0.11}, {0.20, 0.19})  -> Faster        judge({0.100}, {0.101})  -> Unclear: measure again
//   judgePairs(default times, candidate times)  -> for the last race: is the candidate really faster?
//
// Times are compared by their logarithms: noise is a factor, not a summand. One time alone is taken to have a
// deviation of 15 %, or what the repetitions of others have shown (`guess`); further ones count more and
// more. Two are "the same" within 2 %. Of several times, those far above the lower median count as disturbed:
// others at work on the machine only add to times, and where one run in ten takes twice as long, the mean of
// three is wrong by a quarter in one case of four. Source: [R] of petabricks-hetero 7.2 (t-like test,
// confidence 0.75); requirement 78.
#pragma once
#include <limits>
#include <vector>

namespace pbc::tuner {

enum class Verdict { Faster, Slower, Same, Unclear };

inline constexpr double kGuessedDeviation = 0.15;

/// Is a faster than b? Neither may be empty. `guess`: the relative deviation that one run is expected to
/// have.
Verdict judge(const std::vector<double> &a, const std::vector<double> &b, double guess = kGuessedDeviation,
              double confidence = 0.75);

/// How much runs of the same thing differ here, learnt from all that were repeated.
class Noise {
public:
  /// All times of one configuration at one size; call it once for each.
  void learn(const std::vector<double> &seconds);
  double deviation() const;

private:
  double squares_ = 0;
  double freedom_ = 0;
};

/// exp of the mean logarithm of those that were not disturbed.
double typicalSeconds(const std::vector<double> &);
/// 95 % of runs take less than this, disturbed ones among them.
double upperBound(const std::vector<double> &);

/// The result of a paired comparison: times[i] of both were taken right after each other.
struct Pairs {
  double ratio = 1;                                      // median of candidate / reference
  double most = std::numeric_limits<double>::infinity(); // the ratio, with 95 % confidence; from 5 pairs on
  bool faster = false;                                   // beyond chance (95 %) and by more than 1 %
  bool clearlySlower = false;
};
/// `rivals`: so many are compared with the reference; that any of them is taken to be faster by chance stays
/// within 5 % (Bonferroni).
Pairs judgePairs(const std::vector<double> &reference, const std::vector<double> &candidate, int rivals = 1);

double median(std::vector<double> values);
/// A quarter of the values is below: what a run takes when nothing disturbs it, as others on the machine only
/// add to times.
double lowerQuartile(std::vector<double> values);

} // namespace pbc::tuner
