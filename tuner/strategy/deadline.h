// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// When a part of the search must end: at a time, or after a number of measurements, whichever comes first.
//
//   Deadline{42.0}          at 42 s of the evaluator's clock
//   Deadline{42.0, 300}     then, or after the tester's 300th measurement
//   part(all, 0.7, now)     the same for the first 70 % of what is left from now on
//
// Budgets in trials make a search the same on a busy and on an idle machine; budgets in seconds are what
// users think in. Source: own.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

namespace pbc::tuner {

inline constexpr int kUnlimitedTrials = std::numeric_limits<int>::max();

struct Deadline {
  // Most callers have seconds only.
  Deadline(double at, int trials = kUnlimitedTrials) : seconds(at), measurements(trials) {} // NOLINT

  double seconds;
  int measurements; // counted by the Tester since its construction

  bool hasTrials() const { return measurements != kUnlimitedTrials; }
};

/// What has been used up to now.
struct Spent {
  double seconds = 0;
  int measurements = 0;
};

/// The first `share` (0 to 1) of what is left.
inline Deadline part(const Deadline &all, double share, const Spent &now) {
  const double left = std::max(all.seconds - now.seconds, 0.0);
  const double trials = std::max(all.measurements - now.measurements, 0);
  return {now.seconds + share * left, all.hasTrials()
                                          ? now.measurements + static_cast<int>(std::lround(share * trials))
                                          : kUnlimitedTrials};
}

} // namespace pbc::tuner
