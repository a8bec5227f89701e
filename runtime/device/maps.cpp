// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/maps.h"
#include "runtime/device/kernel_form.h"
#include "runtime/device/step_arguments.h"
#include <algorithm>
#include <utility>

namespace pb::device {
namespace {

/// Without its kernel. `of`: the matrix, with all cells that the step reads.
Launch launchOfMap(const DeviceMap &map, const MapMemory &memory, const LaunchMatrix &of,
                   const Frame *frame) {
  Launch launch;
  launch.name = map.name;
  LaunchMatrix from = of, to = memory.argument();
  from.writes = from.covers = from.copiesOut = false;
  to.reads = to.isCopy = false;
  to.writes = to.covers = true;
  launch.matrices = {from, to};
  std::vector<DeviceArguments::Value> values(static_cast<std::size_t>(map.valueCount));
  map.values(frame, values.data());
  for (const DeviceArguments::Value &v : values)
    launch.values.push_back(v.integer);
  map.box(frame, &launch.box);
  std::copy_n(kGroupOfMap, 3, launch.group);
  for (int d = launch.box.rank; d < 3; ++d)
    launch.group[d] = 1;
  return launch;
}

} // namespace

MapMemory::MapMemory(const DeviceMap &map, const Frame *frame, const LaunchMatrix &of)
    : rank_(of.place.rank), elementBytes_(of.place.elementBytes) {
  Box box;
  map.box(frame, &box);
  for (int d = 0; d < rank_; ++d)
    region_.extent[d] = static_cast<int>(std::max(0L, box.high[d] - box.low[d]));
  allocate();
}

MapMemory::MapMemory(const int *extents, int rank, int elementBytes)
    : rank_(rank), elementBytes_(elementBytes) {
  std::copy_n(extents, rank, region_.extent);
  allocate();
}

void MapMemory::allocate() {
  const auto bytes = static_cast<unsigned long>(elementBytes_);
  unsigned long cells = 1;
  for (int d = 0; d < rank_; ++d) {
    region_.stride[d] = static_cast<long>(cells);
    cells = cellsTimes(cells, region_.extent[d], bytes);
  }
  region_.owner = pb_storage_allocate(cells * bytes, &region_.base);
}

MapMemory::MapMemory(MapMemory &&other) noexcept
    : region_(std::exchange(other.region_, AnyRegion{})), rank_(other.rank_),
      elementBytes_(other.elementBytes_) {}

MapMemory::~MapMemory() {
  if (region_.owner)
    pb_storage_release(region_.owner);
}

LaunchMatrix MapMemory::argument() const {
  LaunchMatrix all;
  all.place = placeOf(region_, rank_, elementBytes_);
  for (int d = 0; d < rank_; ++d)
    all.read.high[d] = all.written.high[d] = region_.extent[d];
  all.reads = all.isCopy = true;
  return all;
}

Job addMaps(MapLaunches &copies, Launch &launch, const DeviceKernel &kernel, const DeviceStep &step,
            KernelShelf &shelf, const Frame *frame) {
  const StepArguments all(step, frame, nullptr);
  for (int k = 0; k < kernel.mapCount && copies.why.empty(); ++k) {
    const DeviceMap &map = kernel.maps[k];
    LaunchMatrix of = launch.matrices[static_cast<std::size_t>(map.matrix)];
    of.read = all.read(map.matrix);
    MapMemory memory(map, frame, of);
    Launch copy = launchOfMap(map, memory, of, frame);
    const AnyRegion &matrix = all.matrix(map.matrix);
    const KernelForm form{.unit = matrix.extent[0] <= 1 || matrix.stride[0] == 1};
    KernelShelf::Built built = co_await shelf.get(*map.kernel, copy.group, kCellsOfMap, form);
    copies.why = built.why;
    copy.kernel = std::move(built.kernel);
    launch.matrices.push_back(memory.argument());
    copies.memory.push_back(std::move(memory));
    copies.launches.push_back(std::move(copy));
  }
  if (copies.why.empty())
    co_return;
  launch.matrices.resize(static_cast<std::size_t>(step.matrixCount));
  copies.launches.clear();
}

} // namespace pb::device
