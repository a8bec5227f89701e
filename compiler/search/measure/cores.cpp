// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/cores.h"

namespace pbc::search {
namespace {

/// Waits by looking, and lets others run after a while: there may be fewer cores than threads.
template <class IsDone>
void waitUntil(const IsDone &isDone) {
  constexpr int kLooks = 1 << 14;
  for (int look = 0; !isDone(); ++look)
    if (look > kLooks)
      std::this_thread::yield();
}

} // namespace

Cores::Cores(int count) {
  for (int part = 1; part < count; ++part)
    threads_.emplace_back([this, part] { serve(part); });
}

Cores::~Cores() {
  isOver_ = true;
  for (std::thread &thread : threads_)
    thread.join();
}

void Cores::serve(int part) {
  for (long run = 1;; ++run) {
    waitUntil([&] {
      return asked_.load(std::memory_order_acquire) >= run || isOver_.load(std::memory_order_relaxed);
    });
    if (isOver_)
      return;
    (*work_)(part);
    done_.fetch_add(1, std::memory_order_release);
  }
}

void Cores::run(const std::function<void(int part)> &work) {
  work_ = &work;
  const long run = asked_.fetch_add(1, std::memory_order_release) + 1;
  work(0);
  waitUntil([&] { return done_.load(std::memory_order_acquire) >= run * long(threads_.size()); });
}

} // namespace pbc::search
