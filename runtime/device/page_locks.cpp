// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/page_locks.h"
#include "runtime/matrix/storage.h"
#include <unistd.h>
#include <utility>

namespace pb::device {
namespace {

/// The copy of a matrix with which its locking begins.
constexpr int kCopiesBeforeLock = 2;
constexpr unsigned long kPartOfMemory = 4;

unsigned long memoryOfMachine() {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<unsigned long>(pages) * static_cast<unsigned long>(size) : 0;
}

} // namespace

/// Locked pages. A record has it until its storage dies.
struct PageLocks::Lock {
  Lock(std::shared_ptr<State> s, void *at, unsigned long count)
      : state(std::move(s)), data(at), bytes(count) {
    state->bytes += bytes;
  }
  Lock(const Lock &) = delete;
  Lock &operator=(const Lock &) = delete;
  ~Lock() {
    state->bytes -= bytes;
    if (!state->device.load())
      return;
    std::lock_guard hold(state->mutex);
    if (Device *device = state->device.load())
      device->unlockPages(data);
  }
  const std::shared_ptr<State> state;
  void *const data;
  const unsigned long bytes;
};

PageLocks::PageLocks(Device &device, int index, unsigned long least)
    : state_(std::make_shared<State>()), index_(index), least_(least),
      most_(memoryOfMachine() / kPartOfMemory) {
  state_->device = &device;
}

PageLocks::~PageLocks() { stop(); }

void PageLocks::copied(const std::shared_ptr<Record> &record, unsigned long bytes) {
  if (bytes < least_ || record->countCopy(index_) != kCopiesBeforeLock)
    return;
  std::lock_guard hold(mutex_);
  if (stops_ || isUseless_)
    return;
  pb_storage_retain(record->storage()); // a transfer keeps it at this time
  wanted_.push_back(record);
  if (!thread_.joinable())
    thread_ = std::thread([this] { loop(); });
  changed_.notify_one();
}

void PageLocks::loop() {
  for (;;) {
    std::shared_ptr<Record> next;
    {
      std::unique_lock hold(mutex_);
      changed_.wait(hold, [&] { return stops_ || !wanted_.empty(); });
      if (stops_)
        return;
      next = std::move(wanted_.front());
      wanted_.pop_front();
    }
    Storage *const kept = next->storage();
    lock(*next);
    next.reset();
    pb_storage_release(kept);
  }
}

void PageLocks::lock(Record &record) {
  Device *device = state_->device.load();
  if (!device || state_->bytes.load() + record.bytes() > most_)
    return;
  try {
    if (device->lockPages(record.data(), record.bytes())) {
      record.setLock(index_, std::make_shared<Lock>(state_, record.data(), record.bytes()));
      return;
    }
    std::lock_guard hold(mutex_);
    isUseless_ = true;
  } catch (const DeviceError &) { // NOLINT(bugprone-empty-catch): its copies are staged, as before
  }
}

void PageLocks::stop() {
  std::deque<std::shared_ptr<Record>> left;
  {
    std::lock_guard hold(mutex_);
    stops_ = true;
    left.swap(wanted_);
    changed_.notify_all();
  }
  if (thread_.joinable())
    thread_.join();
  for (const auto &record : left)
    pb_storage_release(record->storage());
  std::lock_guard hold(state_->mutex);
  state_->device.store(nullptr);
}

} // namespace pb::device
