// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies from one fake device to another.
#include "runtime/device/fake/fake_state.h"
#include "runtime/device/transfer.h"
#include <cstring>

namespace pb::device {

bool FakeDevice::reaches(const Device &other) const {
  const auto *fake = dynamic_cast<const FakeDevice *>(&other);
  return fake && fake != this && options_.peers && fake->options_.peers;
}

bool FakeDevice::isIdle(Buffer &buffer) {
  FakeBuffer &known = this->known(buffer);
  std::lock_guard lock(engines_.shared()->mutex);
  bool isIdle = true;
  known.uses.each([&](const FakeCommandRef &command) { isIdle &= command->ended; });
  return isIdle;
}

EventRef FakeDevice::copyAcross(Buffer &from, const Transfer &t, Device &to, Buffer &target) {
  FakeBuffer &source = known(from);
  auto &other = static_cast<FakeDevice &>(to);
  FakeBuffer &into = other.known(target);
  if (!reaches(to) || !other.isIdle(target))
    throw std::logic_error("a copy to a device that is not reached, or to a buffer that is in use");
  checkTransfer(t, source.memory->bytes);
  checkTransfer(t, into.memory->bytes);
  throwIfLost();
  {
    std::lock_guard lock(state_->mutex);
    if (fails(FakeFault::Across, ++state_->counters.copiesAcross))
      throw DeviceError(Failure::Launch,
                        "the fake device refuses a copy to another device, as was asked for");
  }
  FakeCommandRef command =
      begin(options_.latency +
            (options_.bandwidth > 0 ? static_cast<double>(transferBytes(t)) / options_.bandwidth : 0));
  command->work = [here = source.memory, there = into.memory, t] {
    eachRow(t,
            [&](unsigned long offset) { std::memcpy(there->base + offset, here->base + offset, t.bytes); });
  };
  source.order(kCopies, false, command);
  source.uses.note(kCopies, false, command);
  engines_.give(kCopies, command);
  return command;
}

} // namespace pb::device
