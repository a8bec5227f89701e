// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/kernels/screen.h"

#include "tuner/strategy/statistics.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr double kPredictedSlow = 1.5, kShareLeftOut = 0.9;
constexpr double kMostSpread = 0.5; // of logarithms
constexpr std::size_t kEnoughErrors = 4;

} // namespace

std::vector<std::string> Screen::worth(const KernelOption &option) {
  predicted_.clear();
  if (!advice_ || !isTrusted() || option.others.empty())
    return option.others;
  std::vector<std::string> asked{option.inUse};
  asked.insert(asked.end(), option.others.begin(), option.others.end());
  const std::vector<double> seconds = advice_->seconds(option, asked);
  if (seconds.front() <= 0)
    return option.others;
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < option.others.size(); ++k) {
    const double timesAsLong = seconds[k + 1] / seconds.front();
    if (timesAsLong > kPredictedSlow && random_.chance(kShareLeftOut)) {
      ++leftOut_;
      continue;
    }
    kept.push_back(option.others[k]);
    if (timesAsLong > 0)
      predicted_[option.others[k]] = timesAsLong;
  }
  std::ranges::stable_sort(kept, {}, [&](const std::string &script) {
    const auto at = predicted_.find(script);
    return at == predicted_.end() ? 1.0 : at->second;
  });
  return kept;
}

void Screen::measured(const std::string &script, double timesAsLong) {
  if (const auto at = predicted_.find(script); at != predicted_.end() && timesAsLong > 0)
    errors_.push_back(std::log(timesAsLong / at->second));
}

bool Screen::isTrusted() const { return errors_.size() < kEnoughErrors || std::log(factor()) <= kMostSpread; }

double Screen::factor() const {
  std::vector<double> distances;
  for (const double e : errors_)
    distances.push_back(std::abs(e));
  return distances.empty() ? 1 : std::exp(median(distances));
}

} // namespace pbc::tuner
