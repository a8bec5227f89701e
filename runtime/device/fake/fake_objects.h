// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a fake device's buffers and kernels are made of; internal to this folder.
//
//   WalledMemory memory(bytes);          // arbitrary bytes, between walls
//   if (!memory.wallsStand()) ...        // a kernel wrote just outside of it
//   FakeKernel kernel("add", function);  // or from a compiled text
//
// Invariant: memory lives as long as the buffer or any command that uses it.
#pragma once
#include "runtime/device/fake/fake_options.h"
#include "runtime/device/fake/host_kernel.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace pb::device {

/// Bytes between two guard areas, which must never be written.
class WalledMemory {
public:
  explicit WalledMemory(unsigned long bytes)
      : all_(static_cast<char *>(::operator new(bytes + 2 * kWall, std::align_val_t(kWall)))), bytes_(bytes) {
    std::memset(all_, kNonsense, bytes + 2 * kWall);
  }
  WalledMemory(const WalledMemory &) = delete;
  WalledMemory &operator=(const WalledMemory &) = delete;
  ~WalledMemory() { ::operator delete(all_, std::align_val_t(kWall)); }
  char *base() const { return all_ + kWall; }
  bool wallsStand() const {
    const auto stands = [](const char *wall) {
      return std::all_of(wall, wall + kWall, [](char c) { return c == static_cast<char>(kNonsense); });
    };
    return stands(all_) && stands(all_ + kWall + bytes_);
  }

private:
  static constexpr unsigned long kWall = 64;
  static constexpr int kNonsense = 0xcb;
  char *all_;
  unsigned long bytes_;
};

/// The memory of a buffer, which lives until the buffer and all commands that use it are gone.
struct FakeMemory {
  char *base = nullptr;
  unsigned long bytes = 0;
  std::unique_ptr<WalledMemory> own; // none: the processor's
  std::function<void()> freed;
  ~FakeMemory() {
    own.reset();
    if (freed)
      freed();
  }
};

inline unsigned long nextFakeKernel() {
  static std::atomic<unsigned long> last = 0;
  return ++last;
}

class FakeKernel : public Kernel {
public:
  FakeKernel(std::string entry, HostKernel function)
      : entry(std::move(entry)), function(std::move(function)) {}
  FakeKernel(const KernelSource &source, const std::string &binary)
      : entry(source.entry), library(std::make_shared<HostLibrary>(binary)) {
    std::copy_n(source.group, 3, group);
  }
  const unsigned long number = nextFakeKernel(); // no other kernel has it
  std::string entry;
  HostKernel function;
  std::shared_ptr<HostLibrary> library; // commands keep it
  int group[3] = {};
};

inline void runGroups(const HostLibrary &library, const HostLaunch &launch) {
  const long extent[3] = {launch.group[0], launch.group[1], launch.group[2]};
  long group[3];
  for (group[2] = 0; group[2] < launch.items[2] / launch.group[2]; ++group[2])
    for (group[1] = 0; group[1] < launch.items[1] / launch.group[1]; ++group[1])
      for (group[0] = 0; group[0] < launch.items[0] / launch.group[0]; ++group[0])
        if (!library.runGroup(launch.arguments.data(), group, extent))
          throw std::logic_error("items of a group reached different barriers");
}

} // namespace pb::device
