// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/run_times.h"
#include "runtime/base/median.h"

#include <algorithm>
#include <utility>

namespace pb::program {
namespace {

constexpr double kWarmUp = 0.01;        // seconds: a longer first run counts
constexpr double kLongestWindow = 0.02; // seconds of a request that are spent repeating short runs

} // namespace

void RunTimes::began(double seconds, double before) {
  if (wanted_.energy)
    return;
  window_ = std::min(before, kLongestWindow) / static_cast<double>(wanted_.trials);
  if (seconds < std::min(kWarmUp, wanted_.limit))
    warmUntil_ = std::min(before, kWarmUp);
  else if (wanted_.memory)
    warmUntil_ = 0;
}

void RunTimes::add(const RunCost &cost) {
  const bool isFirst = std::exchange(isFirst_, false);
  if (isFirst ? warmUntil_ >= 0 : warmed_ < warmUntil_) {
    warmed_ += isFirst ? 0 : cost.spent;
    return;
  }
  repeated_.push_back(cost.seconds);
  repeatedFor_ += cost.spent;
  if (repeatedFor_ < window_)
    return;
  seconds_.push_back(base::medianOf(std::exchange(repeated_, {})));
  joules_.push_back(cost.joules);
  total_ += wanted_.energy ? cost.spent : seconds_.back();
  repeatedFor_ = 0;
}

} // namespace pb::program
