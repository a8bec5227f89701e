// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The copies of matrices that a version's kernel reads (abi/device.h, DeviceMap).
//
//   MapLaunches copies;
//   co_await addMaps(copies, launch, kernel, step, shelf, frame);
//   => copies.launches make the copies and come in front of `launch`, which has got them as arguments; copies.memory is kept until then
//
// The memory is a storage like that of any matrix, of which only the device has the cells: buffers, and what is done if there is not
// enough memory, are those of all others.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/kernel_shelf.h"
#include "runtime/device/manager.h"
#include "runtime/device/map_groups.h"
#include <string>
#include <vector>

namespace pb::device {

class MapMemory {
public:
  MapMemory(const DeviceMap &, const Frame *, const LaunchMatrix &of);
  /// With so many cells along each dimension.
  MapMemory(const int *extents, int rank, int elementBytes);
  ~MapMemory();
  MapMemory(MapMemory &&other) noexcept;
  MapMemory(const MapMemory &) = delete;
  MapMemory &operator=(const MapMemory &) = delete;
  MapMemory &operator=(MapMemory &&) = delete;

  /// As an argument of the kernel that reads all of it.
  LaunchMatrix argument() const;

private:
  void allocate();

  AnyRegion region_;
  int rank_, elementBytes_;
};

/// The launches that make the copies which a kernel reads, and their memory; or why they cannot be made.
struct MapLaunches {
  std::vector<Launch> launches;
  std::vector<MapMemory> memory;
  std::string why;
};
/// If they cannot, `launch` is as before.
Job addMaps(MapLaunches &, Launch &launch, const DeviceKernel &, const DeviceStep &, KernelShelf &,
            const Frame *);

} // namespace pb::device
