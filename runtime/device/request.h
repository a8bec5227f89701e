// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A request to the management thread, for which a coroutine or, rarely, a thread waits.
//
//   auto r = std::make_shared<Request>();
//   r->resumeOn(*Scheduler::current(), handle);   // or later: r->wait()
//   queue(r);                                     // from here on it may be finished at any time
//   ...
//   r->finish();                                  // or finish(DeviceError(...)): the first call counts
//
// Invariants: finish() resumes exactly once, however often and from however many threads it is called; a
// coroutine goes to the bottom of a random worker's deque (petabricks-hetero 6.3). Everything that may finish
// a request holds a reference to it, so none of them needs to know whether another one has.
#pragma once
#include "runtime/abi/task.h"
#include "runtime/device/device.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <mutex>
#include <optional>

namespace pb::device {

class Request : private Work {
public:
  virtual ~Request() = default;

  void resumeOn(task::Scheduler &scheduler, std::coroutine_handle<> handle);
  /// Blocks until the request is finished; for callers that are not coroutines.
  void wait();
  void finish(std::optional<DeviceError> error = {});
  /// Whether it is finished, so that further work for it is useless.
  bool isFinished() const { return finished_.load(std::memory_order_acquire); }
  /// The error, if any; only valid once the request is finished.
  const std::optional<DeviceError> &error() const { return error_; }

  /// The number of parts that are not done yet; the request is finished when the last one is. Only the
  /// management thread counts.
  int left = 1;
  void partDone() {
    if (--left == 0)
      finish();
  }

private:
  std::atomic<bool> taken_ = false, finished_ = false;
  std::optional<DeviceError> error_;
  task::Scheduler *scheduler_ = nullptr;
  std::coroutine_handle<> handle_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

} // namespace pb::device
