// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device's memory: which launch gets a buffer, and which matrix gives one up when memory is short.
#include "runtime/device/management.h"

namespace pb::device {
namespace {

/// Resting buffers use at most this part of the device's memory.
constexpr unsigned long kRestingPart = 8;
/// As long as less than this part is used, a launch gets a new buffer rather than one for which it has to
/// wait.
constexpr unsigned long kPlentyPart = 2;
/// Nanoseconds after which freed memory is available again: drivers finish freeing in threads of their own,
/// which must first be scheduled.
constexpr unsigned long kSettling = 200'000'000;

} // namespace

std::unique_ptr<Buffer> Management::allocate(unsigned long bytes, bool &wait) {
  bytes = std::max(bytes, 1ul);
  const bool isPlenty = count.bytes + bytes <= about_.bytes / kPlentyPart;
  const auto at = resting_.lower_bound(bytes);
  if (at != resting_.end() && at->first == bytes &&
      (!isPlenty || at->second.since + launched_.size() <= launches_)) {
    auto buffer = std::move(at->second.buffer);
    resting_.erase(at);
    restingBytes_ -= bytes;
    countResting();
    return buffer;
  }
  if (about_.largest && bytes > about_.largest)
    throw DeviceError(Failure::OutOfMemory,
                      "a matrix of " + std::to_string(bytes) + " bytes is too large for " + about_.name +
                          ", whose largest buffer has " + std::to_string(about_.largest));
  for (;;) {
    try {
      auto buffer = call([&] { return device_->allocate(bytes); });
      ++count.allocations;
      ++count.buffers;
      count.bytes += bytes;
      countResting();
      return buffer;
    } catch (const DeviceError &e) {
      if (e.failure() != Failure::OutOfMemory)
        throw;
      const Room room = makeRoom(bytes);
      if (room == Room::None)
        throw;
      wait = room == Room::Later;
      if (wait)
        return nullptr;
    }
  }
}

Management::Room Management::makeRoom(unsigned long bytes) {
  bool wait = false;
  if (freeUnused() || evictOne(wait))
    return Room::Made;
  wait |= !launched_.empty() || !copyingIn_.empty() || // they may hold memory that was given up
          (count.bytes + bytes <= about_.bytes && Trace::now() - lastFreed_ < kSettling);
  if (wait)
    return Room::Later;
  return freeUnused() ? Room::Made : Room::None; // buffers that other threads released meanwhile
}

bool Management::freeUnused() {
  const unsigned long before = count.buffers;
  freeDead();
  freeResting();
  return count.buffers < before;
}

void Management::freeResting() {
  for (auto &[bytes, resting] : resting_) {
    free(std::move(resting.buffer), bytes);
  }
  resting_.clear();
  restingBytes_ = 0;
  countResting();
}

bool Management::evictOne(bool &wait) {
  std::shared_ptr<Record> clean, dirty;
  for (const auto &record : table_.records()) {
    const Evictable e = record->evictable(index());
    wait |= e == Evictable::Busy;
    if (e != Evictable::Clean && e != Evictable::Dirty)
      continue;
    auto &oldest = e == Evictable::Clean ? clean : dirty;
    if (!oldest || record->lastUse(index()) < oldest->lastUse(index()))
      oldest = record;
  }
  if (clean)
    if (auto buffer = clean->takeBuffer(index(), true)) {
      free(std::move(buffer), clean->bytes());
      ++count.evictions;
      wait = false;
      return true;
    }
  if (wait || !dirty)
    return false;
  const CopyPlan plan = dirty->planOut(index(), nullptr, true, false, nullptr);
  if (plan.state == CopyPlan::State::Go)
    copyOut(dirty, plan, "evicted");
  wait = true;
  return false;
}

bool Management::provide(Record &record) {
  if (record.buffer(index()))
    return true;
  std::unique_ptr<Buffer> buffer;
  if (about_.sharesMemory && record.bytes())
    buffer = call([&] { return device_->wrap(record.data(), record.bytes()); });
  const bool isShared = buffer != nullptr;
  bool wait = false;
  if (!isShared)
    buffer = allocate(record.bytes(), wait);
  if (wait)
    return false;
  record.setBuffer(index(), std::move(buffer), isShared);
  return true;
}

void Management::putBack(std::unique_ptr<Buffer> buffer, unsigned long bytes) {
  bytes = std::max(bytes, 1ul);
  if (restingBytes_ + bytes <= about_.bytes / kRestingPart) {
    resting_.emplace(bytes, Resting{std::move(buffer), launches_});
    restingBytes_ += bytes;
    countResting();
    return;
  }
  free(std::move(buffer), bytes);
}

void Management::free(std::unique_ptr<Buffer> buffer, unsigned long bytes) {
  call([&] { buffer.reset(); });
  --count.buffers;
  count.bytes -= std::max(bytes, 1ul);
  lastFreed_ = Trace::now();
  countResting();
}

void Management::freeDead() {
  for (DeadBuffer &dead : table_.estate(index()).take())
    if (dead.isOwn)
      putBack(std::move(dead.buffer), dead.bytes);
    else
      call([&] { dead.buffer.reset(); });
}

} // namespace pb::device
