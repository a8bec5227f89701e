// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/parking.h"
#include <algorithm>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pb::task {
namespace {

static_assert(sizeof(std::atomic<unsigned>) == 4 && std::atomic<unsigned>::is_always_lock_free);

void futexWake(std::atomic<unsigned> &word) {
  syscall(SYS_futex, reinterpret_cast<unsigned *>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void futexWait(std::atomic<unsigned> &word, unsigned expected, std::chrono::nanoseconds limit) {
  timespec t = {limit.count() / 1000000000, limit.count() % 1000000000};
  syscall(SYS_futex, reinterpret_cast<unsigned *>(&word), FUTEX_WAIT_PRIVATE, expected,
          limit.count() ? &t : nullptr, nullptr, 0);
}

} // namespace

void ParkingLot::announce(Seat &seat) {
  std::lock_guard hold(mutex_);
  seat.taken.store(1, std::memory_order_relaxed);
  list_.push_back(&seat);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
}

bool ParkingLot::retract(Seat &seat) {
  std::lock_guard hold(mutex_);
  auto at = std::find(list_.begin(), list_.end(), &seat);
  if (at == list_.end())
    return false;
  list_.erase(at);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
  seat.taken.store(0, std::memory_order_relaxed);
  return true;
}

bool ParkingLot::sleep(Seat &seat, std::chrono::nanoseconds limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + limit;
  while (seat.taken.load(std::memory_order_acquire)) {
    std::chrono::nanoseconds left{0};
    if (limit.count()) {
      left = end - Clock::now();
      if (left.count() <= 0)
        return false;
    }
    futexWait(seat.taken, 1, left);
  }
  return true;
}

void ParkingLot::wakeOne() {
  Seat *seat;
  {
    std::lock_guard hold(mutex_);
    if (list_.empty())
      return;
    seat = list_.back();
    list_.pop_back();
    sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    seat->taken.store(0, std::memory_order_release);
  }
  futexWake(seat->taken);
}

void ParkingLot::wake(Seat &seat) {
  if (retract(seat))
    futexWake(seat.taken);
}

void ParkingLot::wakeAll() {
  while (sleepersExactly())
    wakeOne();
}

} // namespace pb::task
