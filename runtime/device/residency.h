// Which cells of which matrix are valid where: on the processor's side and on each device.
//
//   Table table(2);                                  // two devices
//   Place a = placeOf(region, rank, elementBytes, cells);
//   table.missingOnHost(a)                           // boxes that only devices have
//   table.hostWrites(a)                              // devices' copies of these cells are stale now
//
// Matrices are views of storages. A storage that a device has touched has a record, which lives as long as
// the storage: a lattice, on which every view is a box (below), and for each device one buffer as large as
// the storage, with the boxes that are valid in it, the host's stale boxes, and transfers that are under way.
// So several rules that write parts of one matrix share a buffer (petabricks-hetero 6.5), and views of
// quadrants are parts of the whole. A view that fits on no lattice of the storage counts as the whole
// storage.
//
//   lattice {1, 640} bytes*8: the view base + 3 + 2 * 640, strides {1, 640}, extents {5, 4}  =>  [3, 8) x [2,
//   6)
//
// Invariants: every cell is valid somewhere; boxes in a BoxSet are disjoint; what is stale on the host is
// valid on exactly one device. All methods may be called from any thread. Memory that no storage owns (a
// scalar of a body) has no record: launches copy it in and out each time.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/box_set.h"
#include "runtime/device/device.h"
#include <memory>
#include <mutex>
#include <optional>

namespace pb::device {

/// Cells of a matrix, as memory.
struct Place {
  AnyRegion matrix;
  int rank = 0, elementBytes = 0;
  Cells cells{};
};

} // namespace pb::device
