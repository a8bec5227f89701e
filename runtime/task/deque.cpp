// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/deque.h"
#include <mutex>

namespace pb::task {

Deque::Deque(long capacity) : limit_(capacity - capacity / 4), initialCapacity_(capacity) {
  allocate(capacity, 0, 0);
}

/// Replaces the array, keeping the items [bottom, top). Called under the lock, because thieves read the array
/// only under it.
void Deque::allocate(long capacity, long bottom, long top) {
  auto slots = std::make_unique<Work *[]>(capacity);
  for (long i = bottom; i < top; ++i)
    slots[i & (capacity - 1)] = slots_[i & mask_];
  slots_ = std::move(slots);
  mask_ = capacity - 1;
}

void Deque::makeRoom(long t) {
  std::lock_guard hold(lock_);
  ++ownerLocks_;
  long b = bottom_.load(std::memory_order_relaxed), capacity = mask_ + 1;
  if (t - b >= capacity / 2)
    allocate(capacity *= 2, b, t);
  limit_ = b + capacity - capacity / 4;
}

/// The rest of popTop if its optimistic decrement raced with a thief; returns null if the thief got the item.
Work *Deque::popLast(long t) {
  top_.store(t, std::memory_order_seq_cst);
  std::lock_guard hold(lock_);
  ++ownerLocks_;
  if (bottom_.load(std::memory_order_relaxed) < t) {
    top_.store(t - 1, std::memory_order_seq_cst);
    return slots_[(t - 1) & mask_];
  }
  if (overflow_.empty())
    return nullptr;
  Work *work = overflow_.front();
  overflow_.pop_front();
  overflowed_.store(static_cast<long>(overflow_.size()), std::memory_order_seq_cst);
  return work;
}

Work *Deque::steal() {
  if (empty() || !lock_.try_lock())
    return nullptr;
  std::lock_guard hold(lock_, std::adopt_lock);
  if (!overflow_.empty()) {
    Work *work = overflow_.back();
    overflow_.pop_back();
    overflowed_.store(static_cast<long>(overflow_.size()), std::memory_order_seq_cst);
    return work;
  }
  long b = bottom_.load(std::memory_order_relaxed) + 1;
  bottom_.store(b, std::memory_order_seq_cst);
  if (b <= top_.load(std::memory_order_seq_cst))
    return slots_[(b - 1) & mask_];
  bottom_.store(b - 1, std::memory_order_seq_cst);
  return nullptr;
}

void Deque::pushBottom(Work *work) {
  std::lock_guard hold(lock_);
  long b = bottom_.load(std::memory_order_relaxed) - 1;
  if (overflow_.empty() && b + mask_ + 1 >= limit_) {
    slots_[b & mask_] = work;
    bottom_.store(b, std::memory_order_seq_cst);
  } else {
    overflow_.push_back(work);
    overflowed_.store(static_cast<long>(overflow_.size()), std::memory_order_seq_cst);
  }
}

void Deque::reset() {
  std::lock_guard hold(lock_);
  long t = top_.load(std::memory_order_relaxed), b = bottom_.load(std::memory_order_relaxed);
  if (b < t || !overflow_.empty() || mask_ + 1 == initialCapacity_)
    return;
  allocate(initialCapacity_, b, t);
  limit_ = b + initialCapacity_ - initialCapacity_ / 4;
}

} // namespace pb::task
