// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much of a step that runs again and again a device gets, so that it and the processor are done at the
// same time (petabricks-hetero, requirement 100).
//
//   Balance balance;                       // one for each step and size
//   balance.begin();                       // a call: what earlier calls have shown counts from now on
//   auto times = balance.measure(devicePart, rest);     // at share() 64ths; points along the shared function
//   times->device->...; times->processor = 1200;        // filled by who runs the parts
//
// Model: each side takes a time of its own and so much for each point; both are taken from the last calls
// that had different shares. The share moves three quarters of the way to where the times would be equal. A
// side that is not worth its own time gets nothing. It is tried again after 8 calls, 16, and so on, or so
// many that these tries cost no more than a hundredth.
//
// Invariant: share() is between 0 and 64; calls that failed or have not ended change nothing.
#pragma once
#include "runtime/device/trace.h"
#include <deque>

namespace pb::device {

/// When a launch was done, with the copies of its results that began with it.
class LaunchEnd {
public:
  void expect() { left_.fetch_add(1, std::memory_order_relaxed); }
  void one() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      time_.store(Trace::now(), std::memory_order_release);
  }
  /// The device had other launches to do until then.
  void notBefore(unsigned long time) {
    unsigned long none = 0;
    begin_.compare_exchange_strong(none, time, std::memory_order_relaxed);
  }
  unsigned long begin() const { return begin_.load(std::memory_order_relaxed); }
  /// 0: not yet.
  unsigned long time() const { return time_.load(std::memory_order_acquire); }

private:
  std::atomic<int> left_ = 1; // the launch itself
  std::atomic<unsigned long> begin_ = 0, time_ = 0;
};

/// Of one call, in nanoseconds.
struct PartTimes {
  double devicePoints, processorPoints;
  unsigned long begin = 0; // of the device's part; when it is submitted
  std::shared_ptr<LaunchEnd> device = std::make_shared<LaunchEnd>();
  std::atomic<unsigned long> processor = 0; // how long; 0: not yet
};

class Balance {
public:
  static constexpr int kWhole = 64, kHalf = kWhole / 2;

  int share() const { return share_.load(std::memory_order_relaxed); }
  void begin();
  std::shared_ptr<PartTimes> measure(long devicePoints, long processorPoints);

private:
  /// One side: a time of its own, and what it took the last time.
  struct Side {
    double own = 0, points = 0, time = 0;
    void add(double newPoints, double newTime, double all);
    double perPoint() const { return (time - own) / points; }
    double timeOf(double some) const { return own + perPoint() * some; }
  };
  void take(const PartTimes &);

  std::atomic<int> share_ = kHalf;
  std::mutex mutex_; // of all below
  double exact_ = kHalf;
  Side device_, processor_;
  int idle_ = 0, pause_ = kFirstPause; // calls in which one side had nothing, and how many until it is tried
  double tryCost_ = 0;                 // in calls
  std::deque<std::shared_ptr<PartTimes>> open_;
  static constexpr int kFirstPause = 8, kLastPause = 1024;
};

} // namespace pb::device
