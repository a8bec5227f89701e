// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/times.h"

#include "tuner/strategy/statistics.h"

#include <algorithm>

namespace pbc::tuner {

double Tried::typical() const { return seconds.empty() ? limit : median(seconds); }

Times::Times(const Recording &recording) : bySize_(recording.sizes.size()) {
  for (const Trial &trial : recording.trials) {
    Tried &tried = bySize_[static_cast<std::size_t>(trial.size)][trial.configuration];
    tried.seconds.insert(tried.seconds.end(), trial.seconds.begin(), trial.seconds.end());
    if (trial.rejected && trial.rejected->kind == Failure::TooSlow)
      tried.limit = std::max(tried.limit, trial.limit);
    else if (trial.rejected)
      tried.isWrong = true;
  }
  for (const auto &size : bySize_) {
    std::vector<std::vector<double>> repeated;
    for (const auto &[configuration, tried] : size)
      repeated.push_back(tried.seconds);
    noise_.emplace_back(repeated);
  }
}

} // namespace pbc::tuner
