// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/scratch.h"
#include "runtime/abi/scratch.h"
#include "runtime/matrix/storage_pool.h"
#include <cstdlib>
#include <memory>
#include <new>

namespace pb {
namespace {

struct Free {
  void operator()(void *p) const { std::free(p); }
};

struct Reused {
  std::unique_ptr<void, Free> memory;
  long size = 0;
};

/// Whole cache lines, at least one.
void *allocate(long bytes) {
  constexpr long kLine = 64;
  const long lines = bytes > 0 ? (bytes - 1) / kLine + 1 : 1;
  void *memory = std::aligned_alloc(kLine, static_cast<std::size_t>(lines * kLine));
  if (!memory)
    throw std::bad_alloc();
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
