// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/cuda/host_pages.h"

#include <iterator>

namespace pb::device {

HostPages::~HostPages() {
  context_->enter();
  for (const auto &[first, bytes] : locked_)
    context_->cuda.cuMemHostUnregister(const_cast<char *>(first));
}

void HostPages::lock(void *memory, unsigned long bytes) {
  constexpr unsigned kForAllContexts = 1; // CU_MEMHOSTREGISTER_PORTABLE
  context_->enter();
  const Cuda &cuda = context_->cuda;
  require(cuda, cuda.cuMemHostRegister(memory, bytes, kForAllContexts), Failure::OutOfMemory,
          "cuMemHostRegister of " + std::to_string(bytes) + " bytes");
  std::lock_guard hold(mutex_);
  locked_[static_cast<const char *>(memory)] = bytes;
}

void HostPages::unlock(void *memory) {
  {
    std::lock_guard hold(mutex_);
    if (locked_.erase(static_cast<const char *>(memory)) == 0)
      return;
  }
  context_->enter();
  context_->cuda.cuMemHostUnregister(memory);
}

bool HostPages::areLocked(const void *memory, unsigned long bytes) const {
  const auto *first = static_cast<const char *>(memory);
  std::lock_guard hold(mutex_);
  auto next = locked_.upper_bound(first);
  if (next == locked_.begin())
    return false;
  const auto &[low, count] = *std::prev(next);
  return first + bytes <= low + count;
}

} // namespace pb::device
