// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The worker that has no thread of its own: a thread that calls Scheduler::run() takes it and works until its run has
// ended, so that a short run needs no other thread to wake up.
//
//   if (seat.take(isDone)) {          // false: the run has ended meanwhile
//     worker.workUntil(isDone, first);
//     seat.leave();
//   }
//
// Invariant: at most one thread has the seat. A thread that waits for it leaves when its run has ended without it, of
// which noteEnd() tells it.
#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace pb::task {

class CallerSeat {
public:
  /// Takes the seat if it is free. Never waits.
  bool tryTake() {
    std::lock_guard hold(mutex_);
    return !std::exchange(isTaken_, true);
  }
  /// Waits until the seat is free and takes it, or until the run has ended: then false.
  bool take(const std::atomic<bool> &isDone) {
    std::unique_lock hold(mutex_);
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    changed_.wait(hold, [&] { return isDone.load(std::memory_order_seq_cst) || !isTaken_; });
    waiting_.fetch_sub(1, std::memory_order_relaxed);
    if (isDone.load(std::memory_order_relaxed))
      return false;
    return isTaken_ = true;
  }
  void leave() {
    std::lock_guard hold(mutex_);
    isTaken_ = false;
    if (waiting_.load(std::memory_order_relaxed))
      changed_.notify_all();
  }
  /// To be called after the flag of a run was set, sequentially consistently.
  void noteEnd() {
    if (!waiting_.load(std::memory_order_seq_cst))
      return;
    std::lock_guard hold(mutex_);
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool isTaken_ = false;
  std::atomic<int> waiting_ = 0;
};

} // namespace pb::task
