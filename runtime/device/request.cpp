// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/request.h"

namespace pb::device {

void Request::resumeOn(task::Scheduler &scheduler, std::coroutine_handle<> handle) {
  scheduler_ = &scheduler;
  handle_ = handle;
  Work::run = [](Work *w) { static_cast<Request *>(w)->handle_.resume(); };
}

void Request::wait() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [&] { return isFinished(); });
}

void Request::finish(std::optional<DeviceError> error) {
  if (taken_.exchange(true, std::memory_order_acq_rel))
    return;
  error_ = std::move(error);
  {
    std::lock_guard hold(mutex_);
    finished_.store(true, std::memory_order_release);
    changed_.notify_all();
  }
  if (scheduler_)
    scheduler_->makeRunnable(this); // the caller keeps this object until this function returns
}

} // namespace pb::device
