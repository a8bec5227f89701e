// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Page-locking of large matrices that are copied again and again. From locked pages a device copies by itself;
// all other memory goes through a device's staging memory, for which cores of the processor copy it once more.
// Locking takes about as long as a copy, so it begins with the second one, on a thread of its own, and copies
// are staged until it is done.
//
//   PageLocks locks(device, index, 8 << 20);
//   locks.copied(record, bytes);      // by the management thread, after each copy of so many bytes
//   ...
//   locks.stop();                     // before the device is closed
//
// Invariants: a storage is kept while its pages are being locked, and they are unlocked before its memory can
// be used otherwise (Record::die). If locking is refused, copies go on through staging, and nothing is said.
// At most a quarter of the machine's memory is locked.
#pragma once
#include "runtime/device/record.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

namespace pb::device {

class PageLocks {
public:
  /// `least`: bytes from which on a copy counts.
  PageLocks(Device &device, int index, unsigned long least);
  ~PageLocks();
  PageLocks(const PageLocks &) = delete;
  PageLocks &operator=(const PageLocks &) = delete;

  void copied(const std::shared_ptr<Record> &record, unsigned long bytes);
  /// From now on nothing is locked, and what is locked is the device's to unlock. Waits for a lock that is
  /// being made.
  void stop();
  /// The same for a device whose driver hangs, without waiting. Any thread.
  void abandon() { state_->device.store(nullptr); }
  /// How many bytes are locked now. Any thread.
  unsigned long bytes() const { return state_->bytes.load(); }

private:
  struct State { // outlives this object as long as any lock
    std::atomic<Device *> device;
    std::mutex mutex; // held while pages are unlocked, so that the device is not closed meanwhile
    std::atomic<unsigned long> bytes = 0;
  };
  struct Lock;
  void loop();
  void lock(Record &record);

  const std::shared_ptr<State> state_;
  const int index_;
  const unsigned long least_, most_;
  std::mutex mutex_; // guards all below
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Record>> wanted_; // whose storages are kept
  bool stops_ = false, isUseless_ = false;
  std::thread thread_; // started when it is needed
};

} // namespace pb::device
