// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory behind matrices: a reference count in the 64 bytes before the elements or, for memory that is
// owned elsewhere, in a separate block of 64 bytes.
//
// Temporaries of transforms are allocated in every run, and a new large block costs a page fault (and the
// clearing of memory) per page, often more than the rule that fills it. So freed large blocks stay in a small
// pool (storage_pool.h) before they are returned to the system.
#include "runtime/matrix/storage.h"
#include "runtime/base/errors.h"
#include "runtime/matrix/storage_pool.h"
#include <atomic>
#include <cstdio>
#include <new>

namespace pb {

struct alignas(64) Storage {
  std::atomic<long> count{1};
  unsigned long capacity; // bytes of the block, including this header
  unsigned long bytes;    // of the elements
  std::atomic<matrix::StorageCompanion *> companion{nullptr};
  void *const data;
  Storage(unsigned long block, unsigned long elements, void *begin)
      : capacity(block), bytes(elements), data(begin) {}
};
static_assert(sizeof(Storage) == 64);

namespace {

// What matrices hold since watchStorage(), for measuring memory.
std::atomic<bool> isWatched = false;
std::atomic<long> held = 0, most = 0;

void noteHeld(long bytes) {
  const long now = held.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  long before = most.load(std::memory_order_relaxed);
  while (now > before && !most.compare_exchange_weak(before, now, std::memory_order_relaxed)) {
  }
}

} // namespace

extern "C" {

Storage *pb_storage_allocate(unsigned long bytes, void **data) {
  // There are 64 bytes behind the elements, because vector loads that begin inside may end outside.
  const unsigned long wanted = bytes + 2 * sizeof(Storage);
  unsigned long capacity = 0;
  void *block = wanted > bytes ? matrix::takeBlock(wanted, &capacity) : nullptr;
  if (!block) {
    char text[120];
    std::snprintf(text, sizeof text, "not enough memory for a matrix of %lu bytes%s", bytes,
                  bytes >= kTooManyBytes ? " or more" : "");
    base::failForMemory(text);
  }
  if (isWatched.load(std::memory_order_relaxed)) [[unlikely]]
    noteHeld(static_cast<long>(bytes));
  *data = static_cast<Storage *>(block) + 1;
  return new (block) Storage(capacity, bytes, *data);
}

void pb_storage_retain(Storage *s) { s->count.fetch_add(1, std::memory_order_relaxed); }

void pb_storage_release(Storage *s) {
  if (s->count.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (matrix::StorageCompanion *companion = s->companion.load(std::memory_order_relaxed)) [[unlikely]]
    delete companion;
  const bool isOwn = s->data == s + 1;
  if (isOwn && isWatched.load(std::memory_order_relaxed)) [[unlikely]]
    noteHeld(-static_cast<long>(s->bytes));
  const unsigned long capacity = s->capacity;
  s->~Storage();
  matrix::giveBlock(s, capacity);
}
}

namespace matrix {

void watchStorage(bool watch) {
  held = most = 0;
  isWatched = watch;
}

unsigned long mostStorage() { return static_cast<unsigned long>(most.load()); }

unsigned long storageBytes(const Storage *s) { return s->bytes; }

void *storageData(const Storage *s) { return s->data; }

Storage *storageOver(void *data, unsigned long bytes) {
  unsigned long capacity = 0;
  void *block = takeBlock(sizeof(Storage), &capacity);
  if (!block)
    base::failForMemory("not enough memory for a matrix over memory that is there");
  return new (block) Storage(capacity, bytes, data);
}

StorageCompanion *storageCompanion(const Storage *s) { return s->companion.load(std::memory_order_acquire); }

StorageCompanion *attachCompanion(Storage *s, std::unique_ptr<StorageCompanion> made) {
  StorageCompanion *there = nullptr;
  if (s->companion.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel))
    return made.release();
  return there;
}

bool retainIfAlive(Storage *s) {
  long count = s->count.load(std::memory_order_relaxed);
  while (count > 0)
    if (s->count.compare_exchange_weak(count, count + 1, std::memory_order_acq_rel))
      return true;
  return false;
}

} // namespace matrix
} // namespace pb
