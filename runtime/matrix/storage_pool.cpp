// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/storage_pool.h"
#include <cstdlib>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace pb::matrix {
namespace {

constexpr unsigned long kHugePage = 2ul << 20;
constexpr unsigned long kPooled = 256ul << 10; // for smaller blocks malloc's own lists are good enough
#ifdef __SANITIZE_ADDRESS__
constexpr bool kReuse = false;
#else
constexpr bool kReuse = true;
#endif

struct Pool {
  std::mutex mutex;
  std::multimap<unsigned long, void *> resting; // by capacity
  unsigned long restingBytes = 0;
  const unsigned long limit = static_cast<unsigned long>(sysconf(_SC_PHYS_PAGES)) *
                              static_cast<unsigned long>(sysconf(_SC_PAGESIZE)) / 8;
};

// Never destroyed, because matrices in static objects may be destroyed after it.
Pool &pool() {
  static Pool *const p = new Pool;
  return *p;
}

void *fresh(unsigned long bytes, unsigned long *capacity) {
  const unsigned long alignment = bytes >= 2 * kHugePage ? kHugePage : 64;
  *capacity = (bytes + 63) / 64 * 64;
  void *block = nullptr;
  if (posix_memalign(&block, alignment, *capacity))
    return nullptr;
  if (alignment == kHugePage)
    madvise(block, *capacity, MADV_HUGEPAGE); // only advice, so failure is harmless
  return block;
}

} // namespace

void *takeBlock(unsigned long bytes, unsigned long *capacity) {
  if (bytes > ~0ul - 2 * kHugePage)
    return nullptr;
  if (kReuse && bytes >= kPooled) {
    Pool &p = pool();
    std::lock_guard lock(p.mutex);
    auto at = p.resting.lower_bound(bytes);
    if (at != p.resting.end() && at->first <= bytes + bytes / 4) {
      void *block = at->second;
      *capacity = at->first;
      p.restingBytes -= at->first;
      p.resting.erase(at);
      return block;
    }
  }
  if (void *block = fresh(bytes, capacity))
    return block;
  emptyPool();
  return fresh(bytes, capacity);
}

void giveBlock(void *block, unsigned long capacity) {
  if (kReuse && capacity >= kPooled) {
    Pool &p = pool();
    std::lock_guard lock(p.mutex);
    if (p.restingBytes + capacity <= p.limit) {
      p.resting.emplace(capacity, block);
      p.restingBytes += capacity;
      return;
    }
  }
  std::free(block);
}

void emptyPool() {
  Pool &p = pool();
  std::lock_guard lock(p.mutex);
  for (auto &[capacity, block] : p.resting)
    std::free(block);
  p.resting.clear();
  p.restingBytes = 0;
}

} // namespace pb::matrix
