// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/copy_threads.h"

#include <algorithm>

namespace pb::device {

int CopyThreads::useful() { return std::min(3, static_cast<int>(std::thread::hardware_concurrency()) / 4); }

CopyThreads::~CopyThreads() {
  {
    std::lock_guard lock(mutex_);
    end_ = true;
  }
  changed_.notify_all();
  for (std::thread &thread : threads_)
    thread.join();
}

void CopyThreads::share(const Part &part) {
  {
    std::lock_guard lock(mutex_);
    while (static_cast<int>(threads_.size()) < helpers_) {
      const int number = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, number] { help(number); });
    }
    part_ = &part;
    busy_ = helpers_;
    ++round_;
  }
  changed_.notify_all();
  part(0, helpers_ + 1);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return busy_ == 0; });
}

void CopyThreads::help(int part) {
  std::unique_lock lock(mutex_);
  for (long seen = 0;;) {
    changed_.wait(lock, [&] { return end_ || round_ != seen; });
    if (round_ == seen)
      return;
    seen = round_;
    const Part &work = *part_;
    lock.unlock();
    work(part, helpers_ + 1);
    lock.lock();
    if (--busy_ == 0)
      changed_.notify_all();
  }
}

} // namespace pb::device
