// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The copies of matrices that a version's kernel reads (abi/device.h, DeviceMap).
//
//   MapMemory memory(map, frame, rank, elementBytes);
//   launches.push_back(launchOfMap(map, memory, ofMatrix, frame));     // makes the copy
//   launch.matrices.push_back(memory.argument());                      // what reads it, in the next launch
//
// The memory is a storage like that of any matrix, of which only the device has the cells: buffers, and what is done if there is not
// enough memory, are those of all others.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/manager.h"
#include "runtime/device/map_groups.h"

namespace pb::device {

class MapMemory {
public:
  MapMemory(const DeviceMap &, const Frame *, const LaunchMatrix &of);
  ~MapMemory();
  MapMemory(MapMemory &&other) noexcept;
  MapMemory(const MapMemory &) = delete;
  MapMemory &operator=(const MapMemory &) = delete;
  MapMemory &operator=(MapMemory &&) = delete;

  /// As an argument of the kernel that reads all of it.
  LaunchMatrix argument() const;

private:
  AnyRegion region_;
  int rank_, elementBytes_;
};

/// Without its kernel. `of`: the matrix, with all cells that the step reads.
Launch launchOfMap(const DeviceMap &, const MapMemory &, const LaunchMatrix &of, const Frame *);

} // namespace pb::device
