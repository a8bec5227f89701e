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
constexpr double kFaster = 0.98;       // as predicted: worth a proposal
constexpr std::size_t kMostAsked = 60; // edits, which takes some seconds

} // namespace

std::vector<double> Screen::predictedOf(const KernelOption &option, const std::vector<std::string> &scripts) {
  const std::string kernel = option.kernelTitle();
  std::vector<std::string> all{option.inUse}, asked;
  all.insert(all.end(), scripts.begin(), scripts.end());
  for (const std::string &script : all)
    if (!known_.contains({kernel, script}) && std::ranges::find(asked, script) == asked.end())
      asked.push_back(script);
  if (!asked.empty()) {
    const std::vector<double> seconds = advice_->seconds(option, asked);
    for (std::size_t k = 0; k < asked.size(); ++k)
      known_[{kernel, asked[k]}] = seconds[k];
  }
  std::vector<double> seconds;
  for (const std::string &script : all)
    seconds.push_back(known_.at({kernel, script}));
  return seconds;
}

std::vector<std::string> Screen::proposals(const std::vector<KernelOption> &edits, std::size_t most) {
  predicted_.clear();
  if (!advice_ || !isTrusted() || edits.empty())
    return {};
  kernel_ = edits.front().kernelTitle();
  std::vector<std::string> asked;
  for (const KernelOption &option : edits)
    for (const std::string &script : option.others)
      if (asked.size() < kMostAsked && !measured_.contains({kernel_, script}) &&
          std::ranges::find(asked, script) == asked.end())
        asked.push_back(script);
  const std::vector<double> seconds = predictedOf(edits.front(), asked);
  std::vector<std::pair<double, std::string>> faster;
  for (std::size_t k = 0; k < asked.size(); ++k)
    if (seconds[k + 1] > 0 && seconds[k + 1] < kFaster * seconds.front())
      faster.emplace_back(seconds[k + 1] / seconds.front(), asked[k]);
  std::ranges::stable_sort(faster, {}, &std::pair<double, std::string>::first);
  faster.resize(std::min(faster.size(), most));
  std::vector<std::string> proposed;
  for (const auto &[timesAsLong, script] : faster) {
    predicted_[script] = timesAsLong;
    proposed.push_back(script);
  }
  return proposed;
}

std::vector<std::string> Screen::worth(const KernelOption &option) {
  predicted_.clear();
  kernel_ = option.kernelTitle();
  if (!advice_ || !isTrusted() || option.others.empty())
    return option.others;
  const std::vector<double> seconds = predictedOf(option, option.others);
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
  measured_.insert({kernel_, script});
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
