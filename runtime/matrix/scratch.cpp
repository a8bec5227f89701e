// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/scratch.h"
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

} // namespace

void *scratch(Scratch use, long bytes) {
  static constexpr long kLine = 64;
  thread_local Reused uses[2];
  Reused &r = uses[static_cast<int>(use)];
  if (bytes > r.size) {
    r.memory.reset();
    r.size = 0;
    const long rounded = (bytes + kLine - 1) / kLine * kLine;
    r.memory.reset(std::aligned_alloc(kLine, static_cast<std::size_t>(rounded)));
    if (!r.memory)
      throw std::bad_alloc();
    r.size = rounded;
  }
  return r.memory.get();
}

extern "C" void *pb_scratch(long bytes) { return scratch(Scratch::Panels, bytes); }

} // namespace pb
