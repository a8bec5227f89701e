// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory on a device that belongs to a caller, as the buffer of a storage for the time of a call.
//
//   Storage *s = matrix::storageOver(mirror, bytes);          // where the processor's steps find the cells
//   session.borrow(0, s, address, sizeof(double));            // the cells are on device 0, and nowhere else
//   ... steps run, on the device where the cells lie, on the processor in copies of what they read ...
//   session.giveBack(0, s, {placeOf(result, 2, 8)});          // the result is there, and nothing uses the memory
//
// From the table's point of view (residency.h) such a storage is one that the device has written: whoever reads it elsewhere
// copies it first. Its buffer is never evicted and never kept for others. Both tasks are for one request each.
#pragma once
#include "runtime/device/record.h"
#include "runtime/device/tasks.h"

namespace pb::device {

class Borrow : public Task {
public:
  Borrow(Storage *storage, void *address, int elementBytes, std::shared_ptr<Request> request)
      : Task("borrow", "", false), storage_(storage), address_(address), elementBytes_(elementBytes),
        request_(std::move(request)) {}
  Outcome run(Management &) override;

private:
  Storage *const storage_; // which the caller holds until the request is finished
  void *const address_;
  const int elementBytes_;
  const std::shared_ptr<Request> request_;
};

/// Copies what the device lacks of the results to its memory, waits until no command uses that, and takes it from the record.
class GiveBack : public Task {
public:
  GiveBack(Storage *storage, std::vector<Place> results, std::shared_ptr<Request> request)
      : Task("give-back", "", false), storage_(storage), results_(std::move(results)),
        request_(std::move(request)) {
    isOfDevice = true;
  }
  Outcome run(Management &) override;

private:
  void copyIn(Management &, const std::shared_ptr<Record> &, const CopyPlan &);

  Storage *const storage_; // as above
  const std::vector<Place> results_;
  const std::shared_ptr<Request> request_;
  std::size_t next_ = 0;
  bool isFlushed_ = false;
  std::optional<DeviceError> problem_; // with some result
};

} // namespace pb::device
