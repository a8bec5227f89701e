// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which cells of which matrix are valid where: on the processor's side and on each device.
//
//   Table table(2);                                  // two devices
//   Place a = placeOf(region, rank, elementBytes, cells);
//   table.isOnHost(a)                                // may be read; one load if no device knows the matrix
//   table.missingOnHost(a)                           // boxes that only devices have
//   if (table.hostWrites(a)) ...                     // devices' copies of these cells are stale now
//
// Matrices are views of storages. A storage that a device has touched has a record (record.h), which lives as
// long as the storage: a lattice, on which every view is a box (lattice.h), and for each device one buffer as
// large as the storage, with the boxes that are valid in it, the host's stale boxes, and transfers that are
// under way. So several rules that write parts of one matrix share a buffer (petabricks-hetero 6.5), and
// views of quadrants are parts of the whole. A view that fits on no lattice of the storage counts as the
// whole storage.
//
//   lattice {1, 640} bytes*8: the view base + 3 + 2 * 640, strides {1, 640}, extents {5, 4}
//     =>  [3, 8) x [2, 6)
//
// Invariants: every cell is valid somewhere, unless its device was lost; boxes in a BoxSet are disjoint; what
// is stale on the host is valid on one device, or on several between which it was copied. All methods may be called from any thread. Memory that
// no storage owns (a scalar of a body) has no record: launches copy it in and out each time. A table lives
// longer than the managers that use it; a storage may live longer than the table, but must not be given to
// another table then.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/lattice.h"
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace pb::device {

class Manager;
class Record;

/// Cells of a matrix, with the memory where they lie.
struct Place {
  AnyRegion matrix;
  int rank = 0, elementBytes = 0;
  Cells cells{};
};

Place placeOf(const AnyRegion &matrix, int rank, int elementBytes, const Cells &cells);
/// All of its cells.
Place placeOf(const AnyRegion &matrix, int rank, int elementBytes);
double bytesOf(const Place &);
/// The same cells as a view relative to `origin`.
View viewOf(const Place &, const void *origin);

/// A buffer that is no longer used.
struct DeadBuffer {
  std::unique_ptr<Buffer> buffer;
  unsigned long bytes;
  bool isOwn; // the device's, not the processor's memory or a caller's
};

/// Buffers that records leave to the management thread of a device, because only that thread may free
/// buffers.
class Estate {
public:
  void leave(DeadBuffer buffer);
  std::vector<DeadBuffer> take();
  /// `wake` is called by leave(); an empty function stops that.
  void setWake(std::function<void()> wake);

private:
  std::mutex mutex_;
  std::vector<DeadBuffer> dead_;
  std::function<void()> wake_;
};

/// What a table and its records share.
struct TableState {
  explicit TableState(int devices) : estates(devices), managers(devices) {}
  std::mutex mutex; // guards `records`
  std::unordered_map<Record *, std::weak_ptr<Record>> records;
  std::vector<Estate> estates;
  std::vector<Manager *> managers;
};

class Table {
public:
  explicit Table(int devices);

  int devices() const { return static_cast<int>(state_->managers.size()); }

  /// Whether the processor may read the cells now. If not, Manager::copyOut() or hostAccess() must be called
  /// first.
  bool isOnHost(const Place &) const;
  /// Whether no transfer reads or writes the cells' memory.
  bool isUntouched(const Place &) const;
  /// Cells that only devices have, or had before they were lost.
  BoxSet missingOnHost(const Place &) const;
  /// Whether some of them were lost with their device.
  bool isLost(const Place &) const;
  /// Whether the place is represented exactly, and not by the whole storage.
  bool isExact(const Place &) const;
  /// To be called before the processor writes; if it keeps some of the cells unchanged, they must be on the
  /// host. False, and nothing is recorded, if a transfer uses their memory (perhaps only because a device
  /// needed room), or if the place is on no lattice and not all on the host. Manager::release() resolves
  /// both.
  [[nodiscard]] bool hostWrites(const Place &);
  /// Whether the device has all of the cells.
  bool isOnDevice(int device, const Place &) const;
  /// How many bytes of the place the device has; an estimate for a place that is on no lattice.
  double bytesOnDevice(int device, const Place &) const;

  /// Null where no device knows the storage.
  static std::shared_ptr<Record> find(const Storage *);
  std::shared_ptr<Record> recordOf(Storage *);
  std::vector<std::shared_ptr<Record>> records() const;
  Estate &estate(int device) { return state_->estates[static_cast<std::size_t>(device)]; }
  /// Null if there is none, for example after it was stopped.
  Manager *manager(int device) const { return state_->managers[static_cast<std::size_t>(device)]; }
  void setManager(int device, Manager *m) { state_->managers[static_cast<std::size_t>(device)] = m; }

private:
  std::shared_ptr<TableState> state_;
};

} // namespace pb::device
