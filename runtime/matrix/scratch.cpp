// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/scratch.h"
#include "runtime/abi/scratch.h"
#include "runtime/matrix/storage_pool.h"
#include <cstdlib>
#include <memory>
#include <new>
#include <sys/mman.h>

namespace pb {
namespace {

struct Free {
  void operator()(void *p) const { std::free(p); }
};

struct Reused {
  std::unique_ptr<void, Free> memory;
  long size = 0;
};

/// Whole cache lines, at least one. Panels that fill a cache are read again and again beside matrices whose rows are pages apart: they lie on one
/// large page, where the system has such pages.
void *allocate(long &bytes) {
  constexpr long kLine = 64, kHugePage = 2L << 20, kMany = 256L << 10;
  const long unit = bytes >= kMany ? kHugePage : kLine;
  bytes = bytes > 0 ? ((bytes - 1) / unit + 1) * unit : unit;
  void *memory = std::aligned_alloc(static_cast<std::size_t>(unit), static_cast<std::size_t>(bytes));
  if (!memory)
    throw std::bad_alloc();
  if (unit == kHugePage)
    madvise(memory, static_cast<std::size_t>(bytes), MADV_HUGEPAGE); // only advice, so failure is harmless
  return memory;
}

} // namespace

void *scratch(Scratch use, long bytes) {
  thread_local Reused uses[2];
  Reused &r = uses[static_cast<int>(use)];
  if (bytes > r.size) {
    r.memory.reset();
    r.size = 0;
    r.memory.reset(allocate(bytes));
    r.size = bytes;
  }
  return r.memory.get();
}

extern "C" void *pb_scratch(long bytes) { return scratch(Scratch::Panels, bytes); }

extern "C" void *pb_cells_allocate(long bytes, unsigned long *capacity) {
  void *cells = matrix::takeBlock(bytes > 0 ? static_cast<unsigned long>(bytes) : 1, capacity);
  if (!cells)
    throw std::bad_alloc();
  return cells;
}
extern "C" void pb_cells_release(void *cells, unsigned long capacity) { matrix::giveBlock(cells, capacity); }

} // namespace pb
