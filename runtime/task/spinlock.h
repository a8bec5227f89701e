// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A lock for sections of a few instructions.
//
//   std::lock_guard hold(lock);
//
// Invariant: it is never held across a call that can block. A waiting thread yields when the holder seems to
// have lost its core.
#pragma once
#include <atomic>
#include <sched.h>

namespace pb::task {

/// Tells the core that this is a spin loop.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class SpinLock {
public:
  bool try_lock() {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }
  void lock() {
    for (int tries = 0; !try_lock(); ++tries)
      if (tries < 64)
        pause();
      else
        sched_yield();
  }
  void unlock() { held_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> held_ = false;
};

} // namespace pb::task
