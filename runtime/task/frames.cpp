// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory of coroutine frames: per-thread free lists by size class, so that a spawn needs no malloc.
//
// A frame is often freed by another thread than the one that allocated it (a thief finishes a child). It goes
// to the list of the freeing thread; a list that grows past 2 * kBatch moves a batch to the shared depot,
// from which empty lists are refilled. So memory is bounded by the peak use, wherever tasks run.
//
// Invariant: every free block is in exactly one list; a list is used by its thread only; the depot under its
// lock. Under AddressSanitizer everything goes to malloc, which finds uses after free.
#include "runtime/abi/task.h"
#include "runtime/task/spinlock.h"
#include <cstdlib>
#include <mutex>
#include <new>

namespace pb {
namespace task {
namespace {

constexpr unsigned long kGrain = 64; // a cache line: frames of two workers never share one
constexpr int kClasses = 32;         // frames up to 2 KiB
constexpr int kBatch = 32;
#ifdef __SANITIZE_ADDRESS__
constexpr unsigned long kPooledClasses = 0;
#else
constexpr unsigned long kPooledClasses = kClasses;
#endif

struct Block {
  Block *next;
  Block *nextBatch; // in the depot: heads of batches
};

struct List {
  Block *head;
  int count;
};

struct Depot {
  SpinLock lock;
  Block *batches[kClasses];
};
constinit Depot depot{};

void deposit(int kind, Block *batch) {
  std::lock_guard hold(depot.lock);
  batch->nextBatch = depot.batches[kind];
  depot.batches[kind] = batch;
}

/// Plain data, so that access needs no initialisation check.
constinit thread_local List lists[kClasses] = {};

/// Moves the lists of an ending thread to the depot.
struct Flush {
  ~Flush() {
    for (int k = 0; k < kClasses; ++k) {
      if (lists[k].head)
        deposit(k, lists[k].head);
      lists[k] = {};
    }
  }
  void arm() {} // constructs the thread's object
};
thread_local Flush flush;

[[gnu::noinline]] Block *refill(int kind) {
  flush.arm();
  Block *head;
  {
    std::lock_guard hold(depot.lock);
    head = depot.batches[kind];
    if (head)
      depot.batches[kind] = head->nextBatch;
  }
  if (!head) {
    unsigned long bytes = (kind + 1) * kGrain;
    auto *slab = static_cast<char *>(std::aligned_alloc(kGrain, bytes * kBatch));
    if (!slab)
      throw std::bad_alloc();
    for (int i = kBatch; i-- > 0;) {
      auto *b = reinterpret_cast<Block *>(slab + i * bytes);
      b->next = head, head = b;
    }
  }
  int count = 0; // the batch of an ended thread may have any length
  for (Block *b = head->next; b; b = b->next)
    ++count;
  lists[kind] = {head->next, count};
  return head;
}

[[gnu::noinline]] void spill(int kind) {
  flush.arm();
  List &l = lists[kind];
  Block *batch = l.head, *last = batch;
  for (int i = 1; i < kBatch; ++i)
    last = last->next;
  l.head = last->next, l.count -= kBatch;
  last->next = nullptr;
  deposit(kind, batch);
}

} // namespace
} // namespace task

void *pb_frame_allocate(unsigned long bytes) {
  unsigned long kind = (bytes - 1) / task::kGrain;
  if (kind >= task::kPooledClasses)
    return ::operator new(bytes);
  task::List &l = task::lists[kind];
  task::Block *b = l.head;
  if (!b) [[unlikely]]
    return task::refill(static_cast<int>(kind));
  l.head = b->next;
  --l.count;
  return b;
}

void pb_frame_free(void *frame, unsigned long bytes) {
  unsigned long kind = (bytes - 1) / task::kGrain;
  if (kind >= task::kPooledClasses)
    return ::operator delete(frame);
  task::List &l = task::lists[kind];
  if (!l.head) [[unlikely]]
    task::flush.arm(); // a thread that only frees must flush its lists, too
  auto *b = static_cast<task::Block *>(frame);
  b->next = l.head;
  l.head = b;
  if (++l.count > 2 * task::kBatch) [[unlikely]]
    task::spill(static_cast<int>(kind));
}

} // namespace pb
