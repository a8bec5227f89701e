// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which share of a step that runs again and again a device gets, so that it and the processor finish
// at the same time (petabricks-hetero, requirement 100).
//
//   Balance balance;                       // one for each step and size
//   balance.begin();                       // a call begins: results of earlier calls are taken into account
//   auto times = balance.measure(devicePart, rest);     // at share() 64ths; points along the shared function
//   times->device->...; times->processor = 1200;        // filled by the code that runs the parts
//
// Model: each side takes a fixed time and a time for each point; both are computed from the last calls that
// had different shares. The share moves three quarters of the way to where the times would be equal. A side
// whose fixed time does not pay gets nothing. It is tried again after 8 calls, 16, and so on, or after so
// many calls that the attempts cost at most a hundredth of the time.
//
// Invariant: share() is between 0 and 64; calls that failed or have not ended change nothing.
#pragma once
#include "runtime/device/trace.h"
#include <deque>

namespace pb::device {

/// The time at which a launch was done, including the copies of its results that began with it.
class LaunchEnd {
public:
  void expect() { left_.fetch_add(1, std::memory_order_relaxed); }
  void one() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      time_.store(Trace::now(), std::memory_order_release);
  }
  /// Records that the device was busy with other launches until `time`.
  void notBefore(unsigned long time) {
    unsigned long none = 0;
    begin_.compare_exchange_strong(none, time, std::memory_order_relaxed);
  }
  unsigned long begin() const { return begin_.load(std::memory_order_relaxed); }
  /// 0: not done yet.
  unsigned long time() const { return time_.load(std::memory_order_acquire); }

private:
  std::atomic<int> left_ = 1; // the launch itself
  std::atomic<unsigned long> begin_ = 0, time_ = 0;
};

/// The times of one call, in nanoseconds.
struct PartTimes {
  double devicePoints, processorPoints;
  unsigned long begin = 0; // when the device's part is submitted
  std::shared_ptr<LaunchEnd> device = std::make_shared<LaunchEnd>();
  std::atomic<unsigned long> processor = 0; // duration; 0: not done yet
};

class Balance {
public:
  static constexpr int kWhole = 64, kHalf = kWhole / 2;

  int share() const { return share_.load(std::memory_order_relaxed); }
  void begin();
  std::shared_ptr<PartTimes> measure(long devicePoints, long processorPoints);

private:
  /// One side: its fixed time, and the points and the time of its last call.
  struct Side {
    double own = 0, points = 0, time = 0;
    void add(double newPoints, double newTime, double all);
    double perPoint() const { return (time - own) / points; }
    double timeOf(double some) const { return own + perPoint() * some; }
  };
  void take(const PartTimes &);

  std::atomic<int> share_ = kHalf;
  std::mutex mutex_; // guards all below
  double exact_ = kHalf;
  Side device_, processor_;
  /// Calls in a row in which one side had nothing, and after how many of them it is tried again.
  int idle_ = 0, pause_ = kFirstPause;
  double tryCost_ = 0; // in calls: how many ordinary calls an attempt costs
  std::deque<std::shared_ptr<PartTimes>> open_;
  static constexpr int kFirstPause = 8, kLastPause = 1024;
};

} // namespace pb::device
