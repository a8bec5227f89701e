// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/balance.h"
#include <algorithm>
#include <cmath>

namespace pb::device {
namespace {

constexpr double kDamping = 0.75;
/// Calls whose shares differ by less than this part of all points do not show a side's fixed time.
constexpr double kApart = 1.0 / 24;
/// The largest number of calls that have not ended; more are forgotten, because some never end (a launch that
/// failed).
constexpr std::size_t kMostOpen = 128;
/// The cost of an attempt is spread over so many times as many calls.
constexpr double kTries = 100;

} // namespace

void Balance::Side::add(double newPoints, double newTime, double all) {
  if (points > 0 && std::abs(newPoints - points) >= kApart * all) {
    const double slope = (newTime - time) / (newPoints - points);
    own = slope > 0 ? std::max(0.0, newTime - slope * newPoints) : 0;
  }
  points = newPoints;
  time = newTime;
  own = std::min(own, 0.95 * time);
}

std::shared_ptr<PartTimes> Balance::measure(long devicePoints, long processorPoints) {
  auto times = std::make_shared<PartTimes>();
  times->devicePoints = static_cast<double>(devicePoints);
  times->processorPoints = static_cast<double>(processorPoints);
  times->begin = Trace::now();
  std::lock_guard hold(mutex_);
  open_.push_back(times);
  if (open_.size() > kMostOpen)
    open_.pop_front();
  return times;
}

void Balance::begin() {
  std::lock_guard hold(mutex_);
  std::erase_if(open_, [&](const std::shared_ptr<PartTimes> &t) {
    if (!t->device->time() || !t->processor.load(std::memory_order_acquire))
      return false;
    take(*t);
    return true;
  });
  int next = static_cast<int>(std::lround(std::clamp(exact_, 0.0, double{kWhole})));
  if (next == 0 || next == kWhole) {
    if (++idle_ > std::max(pause_, static_cast<int>(std::min(1e6, kTries * tryCost_)))) {
      idle_ = 0;
      pause_ = std::min(2 * pause_, kLastPause);
      next = next == 0 ? 1 : kWhole - 1;
    }
  } else {
    idle_ = 0;
    pause_ = kFirstPause;
  }
  share_.store(next, std::memory_order_relaxed);
}

void Balance::take(const PartTimes &t) {
  const double all = t.devicePoints + t.processorPoints;
  const auto onDevice = static_cast<double>(t.device->time() - std::max(t.begin, t.device->begin()));
  device_.add(t.devicePoints, std::max(1.0, onDevice), all);
  processor_.add(t.processorPoints, static_cast<double>(t.processor.load()), all);
  // Solves own + d x = own' + p (all - x).
  const double d = device_.perPoint(), p = processor_.perPoint();
  const double equal = (processor_.own - device_.own + p * all) / (d + p) / all * kWhole;
  const bool isBelow = equal < kWhole / 2.0;
  const Side &idle = isBelow ? device_ : processor_, &busy = isBelow ? processor_ : device_;
  tryCost_ = idle.timeOf(all / kWhole) / busy.timeOf(all) - 1;
  exact_ += kDamping * (std::clamp(equal, -1.0, kWhole + 1.0) - exact_);
}

} // namespace pb::device
