// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The work-stealing deque of one worker, by the THE protocol (petabricks-hetero 6.2).
//
//   Deque d;
//   d.pushTop(a); d.pushTop(b);   // the owner
//   d.popTop();                   // the owner: b, without a lock
//   d.steal();                    // any thread: a
//   d.pushBottom(c);              // any thread: c is the next to be stolen
//
// Invariants:
//
// - The items are [bottom_, top_) of a circular array; the overflow list lies below bottom_ (back = lowest).
// - Only the owner changes top_ and the array; bottom_ changes only under the lock.
// - The owner writes no index >= limit_, and limit_ <= bottom_ + capacity always holds, so that the two ends
//   never meet in one slot although pushTop neither locks nor reads bottom_.
// - The owner locks only in a race for the last item, when empty, and when limit_ is reached (requirement
//   44).
//
// pushBottom by another thread cannot let the array grow while the owner uses it: it uses the quarter of the
// array that limit_ leaves free and, when that is used up, the overflow list. Sequentially consistent
// accesses replace the protocol's full fences, because ThreadSanitizer does not support fences.
#pragma once
#include "runtime/abi/task.h"
#include "runtime/task/spinlock.h"
#include <atomic>
#include <deque>
#include <memory>

namespace pb::task {

class alignas(64) Deque {
public:
  /// `capacity`: initial number of slots, a power of two >= 4.
  explicit Deque(long capacity = 256);

  /// Owner only.
  void pushTop(Work *work) {
    long t = top_.load(std::memory_order_relaxed);
    if (t >= limit_) [[unlikely]]
      makeRoom(t);
    slots_[t & mask_] = work;
    top_.store(t + 1, std::memory_order_release);
  }
  /// Owner only; null if empty.
  Work *popTop() {
    long t = top_.load(std::memory_order_relaxed) - 1;
    top_.store(t, std::memory_order_seq_cst);
    if (bottom_.load(std::memory_order_seq_cst) <= t) [[likely]]
      return slots_[t & mask_];
    return popLast(t + 1);
  }
  /// Any thread; null if empty or if another thread has the lock.
  Work *steal();
  /// Any thread.
  void pushBottom(Work *work);
  /// Owner only: frees a grown array. Does nothing unless empty.
  void reset();

  /// An estimate for other threads; exact when no thread uses the deque.
  bool empty() const {
    return bottom_.load(std::memory_order_seq_cst) >= top_.load(std::memory_order_seq_cst) &&
           overflowed_.load(std::memory_order_seq_cst) == 0;
  }
  /// Owner only.
  long capacity() const { return mask_ + 1; }
  /// How often the owner took the lock. Owner only.
  long ownerLocks() const { return ownerLocks_; }

private:
  Work *popLast(long t);
  void makeRoom(long t);
  void allocate(long capacity, long bottom, long top);

  std::unique_ptr<Work *[]> slots_;
  long mask_ = 0;
  long limit_;
  long ownerLocks_ = 0;
  const long initialCapacity_;
  alignas(64) std::atomic<long> top_ = 0;
  alignas(64) std::atomic<long> bottom_ = 0;
  std::atomic<long> overflowed_ = 0;
  SpinLock lock_;
  std::deque<Work *> overflow_;
};

} // namespace pb::task
