// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a fake device shares with its buffers; internal to this folder.
#pragma once
#include "runtime/device/fake/fake_device.h"
#include "runtime/device/fake/fake_objects.h"
#include <map>

namespace pb::device {

struct FakeDevice::State {
  mutable std::mutex mutex; // to be locked after the engines' mutex, never before it
  FakeCounters counters;
  Builds builds;
  std::vector<FakeFault> faults;
  std::set<const Buffer *> alive;
  std::map<const char *, unsigned long> locked; // pages of the processor's memory
};

class FakeBuffer : public Buffer {
public:
  FakeBuffer(std::shared_ptr<FakeDevice::State> state, std::shared_ptr<FakeMemory> bytes)
      : memory(std::move(bytes)), state_(std::move(state)) {
    std::lock_guard lock(state_->mutex);
    state_->alive.insert(this);
  }
  ~FakeBuffer() override {
    std::lock_guard lock(state_->mutex);
    state_->alive.erase(this);
  }
  std::shared_ptr<FakeMemory> memory;
  LastUses<FakeCommandRef, kEngines> uses;

  /// Makes the command wait for those on the other engine that it must not overlap with.
  void order(Engine engine, bool writes, const FakeCommandRef &command) {
    uses.eachToAwait(engine, writes, [&](const FakeCommandRef &before) { command->waits.push_back(before); });
  }

private:
  std::shared_ptr<FakeDevice::State> state_;
};

} // namespace pb::device
