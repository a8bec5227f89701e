// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where workers without work sleep.
//
//   lot.announce(seat);                 // from now on wakeOne() may choose this seat
//   if (workAnywhere()) lot.retract(seat);
//   else lot.sleep(seat, 1ms);          // false: time is up, still announced
//   ...
//   if (lot.sleepers()) lot.wakeOne();  // one load if nothing sleeps, else a system call for each sleeper
//
// Invariant: a seat is in the list exactly while its word is 1, and sleepers() is the length of the list; a
// seat is taken out of the list before it is woken, so that no seat is woken twice.
//
// A spawner's store to its deque and its load of sleepers() may be reordered (a fence there would double the
// cost of a spawn), so that the spawner misses a sleeper. A sleeper therefore first sleeps for a moment only,
// looks again, and then sleeps without a limit. Until then the spawner's own worker still has the task, so
// only that moment is lost.
#pragma once
#include "runtime/task/spinlock.h"
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

namespace pb::task {

struct Seat {
  std::atomic<unsigned> taken = 0; // the futex word
};

class ParkingLot {
public:
  int sleepers() const { return sleepers_.load(std::memory_order_relaxed); }
  /// For callers that must not miss a sleeper: ordered after their own sequentially consistent stores.
  int sleepersExactly() const { return sleepers_.load(std::memory_order_seq_cst); }
  void announce(Seat &);
  /// False if the seat has been woken meanwhile.
  bool retract(Seat &);
  /// Sleeps until woken (true) or until `limit` has passed (false); no limit when it is zero.
  bool sleep(Seat &, std::chrono::nanoseconds limit);
  /// Wakes the seat that was announced last, if any.
  void wakeOne();
  void wakeAll();
  /// Wakes this seat if it is in the list.
  void wake(Seat &);

private:
  alignas(64) std::atomic<int> sleepers_ = 0;
  std::mutex mutex_;
  std::vector<Seat *> list_;
};

} // namespace pb::task
