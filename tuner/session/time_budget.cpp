// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/time_budget.h"

#include "tuner/evaluate/child_process.h"

#include <algorithm>

namespace pbc::tuner {

bool isLimitedInTime(const TuneOptions &options) {
  return options.budget > 0 || (options.trials == 0 && options.record.empty());
}

double TimeBudget::left() const { return begin + seconds - steadySeconds(); }

double TimeBudget::stopAt() const {
  constexpr double kMore = 0.03, kAtLeast = 0.7; // of the budget, and seconds
  return begin + (1 + kMore) * seconds + kAtLeast;
}

double TimeBudget::outsideUntil() const {
  constexpr double kMore = 0.1, kAtLeast = 1.9, kWithoutBudget = 60;
  return isLimited ? begin + (1 + kMore) * seconds + kAtLeast : steadySeconds() + kWithoutBudget + seconds;
}

double TimeBudget::patience() const {
  constexpr double kTimes = 4, kLeast = 10;
  return std::clamp(kTimes * seconds, kLeast, kPatience);
}

double TimeBudget::longestRun() const {
  constexpr double kRuns = 25, kLongest = 1;
  return std::min(seconds / kRuns, kLongest);
}

} // namespace pbc::tuner
