// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tasks of a management thread, and what they share; internal to this folder.
//
//   auto s = std::make_shared<Submission>(std::move(launches));
//   management.add(s, tasksOf(s));                              // prepare, copy-in .., execute, prepare, ..
//   management.add(request, one(std::make_unique<Settle>(place, true, false, request)));
//
// Invariant: a submission is finished when all of its launches were given or refused and their outputs in
// memory without a storage have arrived.
#pragma once
#include "runtime/device/management.h"

namespace pb::device {

/// Launches on their way to the device.
class Submission : public Request {
public:
  explicit Submission(std::vector<Launch> l) : launches(std::move(l)) {
    left = static_cast<int>(launches.size());
  }

  const std::vector<Launch> launches;
  Submitted result;
  int ownWrites = 0; // copies to memory without a storage that are under way
};

std::vector<TaskPointer> tasksOf(const std::shared_ptr<Submission> &submission);

/// Brings cells to the host (`reads`), waits for transfers that use their memory (`writes`: also for those
/// that read it), then counts for the request, if there is one. Keeps a reference to the storage, because
/// perhaps nothing else waits.
class Settle : public Task {
public:
  Settle(const Place &place, bool reads, bool writes, std::shared_ptr<Request> request);
  Settle(const Settle &) = delete;
  Settle &operator=(const Settle &) = delete;
  ~Settle() override;
  Outcome run(Management &) override;

private:
  const Place place_;
  const bool reads_, writes_;
  const std::shared_ptr<Request> request_;
};

/// Copies cells that this device has to another device that it reaches, then counts for the request, or finishes it with the
/// reason. The other device's buffer must exist, and none of its commands may use it, until the request is finished.
class CopyAcross : public Task {
public:
  CopyAcross(const Place &place, const char *name, Management &to, std::shared_ptr<Request> request)
      : Task("copy-across", name, false), place_(place), to_(to), request_(std::move(request)) {}
  Outcome run(Management &) override;
  EventRef awaited() const override { return done_ < events_.size() ? events_[done_] : nullptr; }
  bool drop(Management &) override;

private:
  const Place place_;
  Management &to_;
  const std::shared_ptr<Request> request_;
  std::shared_ptr<Record> record_;
  std::shared_ptr<Flight> flight_; // null: not begun
  std::vector<EventRef> events_;
  std::size_t done_ = 0;
  std::optional<DeviceError> refused_;
};

inline std::vector<TaskPointer> one(TaskPointer task) {
  std::vector<TaskPointer> result;
  result.push_back(std::move(task));
  return result;
}

/// Memory that no storage owns, for one launch: copied to and from staging memory, so that the driver never
/// has a pointer to a frame that may be gone.
class Transient {
public:
  explicit Transient(const LaunchMatrix &matrix);
  unsigned long bytes() const { return staging_.size(); }
  /// The offset of the cell (0, 0, ...), in bytes.
  long offset() const { return offset_; }
  std::vector<Transfer> toDevice();
  std::vector<Transfer> toHost() const { return lattice_.transfers(written_); }
  void *staging() { return staging_.data(); }
  void scatter();
  /// Whether no command uses the staging memory any more.
  bool isOver(Management &m) const;

  std::unique_ptr<Buffer> buffer;
  std::vector<EventRef> events; // of copies that use the staging memory

private:
  char *low_;
  long offset_;
  std::vector<char> staging_;
  Lattice lattice_;
  BoxSet needed_, written_;
};

} // namespace pb::device
