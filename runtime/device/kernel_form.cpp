// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/kernel_form.h"
#include "runtime/device/manager.h"
#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>

namespace pb::device {
namespace {

constexpr int kValueBits = 64; // of DeviceStep::realValues

bool hasUnitStrides(const DeviceStep &step, const StepArguments &arguments) {
  for (int m = 0; m < step.matrixCount; ++m)
    if (step.matrices[m].rank > 0 && arguments.matrix(m).extent[0] > 1 && arguments.matrix(m).stride[0] != 1)
      return false;
  return true;
}

/// Whether the sums of coordinates times strides fit, of which some may be negative.
bool hasNarrowOffsets(const AnyRegion &matrix, int rank) {
  double offset = 0;
  for (int d = 0; d < rank; ++d)
    offset += static_cast<double>(matrix.extent[d]) * std::fabs(static_cast<double>(matrix.stride[d]));
  return offset <= INT_MAX;
}

/// The compiler relies on these bounds (compiler/loop/narrow.cpp), of a group's memory and of teams.
constexpr long kGroupBytes = 1 << 18, kTeamItems = 1024, kParts = 1024;

/// Whether the launch keeps to them, and numbers its groups, cells and the values of their parts in 32 bits.
bool hasNarrowGroups(const DeviceKernel &kernel, const Launch &launch) {
  if (kernel.localBytes && kernel.localBytes(launch.group, launch.cells, launch.sizes.data()) > kGroupBytes)
    return false;
  if (!kernel.teams)
    return true;
  const long items = static_cast<long>(launch.group[0]) * launch.group[1] * launch.group[2];
  double places = static_cast<double>(launch.teams.parts) * std::max(1, kernel.teams->values);
  for (int d = launch.inRounds ? 1 : 0; d < launch.box.rank; ++d)
    places *= static_cast<double>(launch.box.high[d] - launch.box.low[d]);
  return items <= kTeamItems && launch.teams.parts <= kParts && places <= INT_MAX;
}

/// Whether the launch has no tiles, or numbers them, and the first points of all that its groups ask for, in 32 bits: a group may find that
/// the last axis has no tile at its place (compiler/loop/tile_loops.h), which is no further away than there are tiles along all axes.
bool hasNarrowTiles(const DeviceKernel &kernel, const Launch &launch) {
  if (!launch.inTiles())
    return true;
  double tiles = 1;
  long largest = 1;
  for (int d = 0; d < launch.box.rank; ++d) {
    const auto points = static_cast<double>(launch.box.high[d] - launch.box.low[d]);
    tiles += std::ceil(points / static_cast<double>(launch.tile[d]));
    largest = std::max(largest, launch.tile[d]);
  }
  return tiles * static_cast<double>(largest) <= static_cast<double>(kernel.narrow);
}

bool isNarrow(const DeviceStep &step, const DeviceKernel &kernel, const StepArguments &arguments,
              const Launch &launch) {
  const Box &box = launch.box;
  const auto fits = [&](long size) { return std::abs(size) <= kernel.narrow; };
  if (kernel.narrow <= 0 || step.valueCount > kValueBits || !hasNarrowGroups(kernel, launch) ||
      !hasNarrowTiles(kernel, launch))
    return false;
  for (int v = 0; v < step.valueCount; ++v)
    if (!(step.realValues >> v & 1) && !fits(arguments.value(v).integer))
      return false;
  for (int d = 0; d < box.rank; ++d)
    if (!fits(box.low[d]) || !fits(box.high[d]))
      return false;
  for (int m = 0; m < step.matrixCount; ++m)
    if (!hasNarrowOffsets(arguments.matrix(m), step.matrices[m].rank))
      return false;
  if (launch.rows && std::any_of(launch.rows->commands.begin(), launch.rows->commands.end(),
                                 [&](const RowsLaunch::Command &c) { return !fits(c.low) || !fits(c.high); }))
    return false;
  return std::all_of(launch.matrices.begin(), launch.matrices.end(), [](const LaunchMatrix &m) {
    return !m.isCopy || hasNarrowOffsets(m.place.matrix, m.place.rank);
  });
}

/// Storages begin at multiples of 64 bytes (region.h), on devices as well.
bool isWide(const DeviceStep &step, const DeviceKernel &kernel, const StepArguments &arguments,
            const Launch &launch) {
  constexpr long kBytes = 16;
  for (int m = 0; m < step.matrixCount; ++m) {
    const DeviceMatrix &about = step.matrices[m];
    const AnyRegion &matrix = arguments.matrix(m);
    const auto isWhole = [&](long cells) { return cells * about.elementBytes % kBytes == 0; };
    if (about.rank == 0)
      continue;
    if (!matrix.owner || reinterpret_cast<unsigned long>(matrix.base) % kBytes || !isWhole(matrix.extent[0]))
      return false;
    for (int d = 1; d < about.rank; ++d)
      if (!isWhole(matrix.stride[d]))
        return false;
    const auto beginsWhole = [&](const Box &box) {
      return std::all_of(box.low, box.low + box.rank, isWhole);
    };
    if (!kernel.hasRuns && (!beginsWhole(launch.box) ||
                            !std::all_of(launch.parts.begin(), launch.parts.end(),
                                         [&](const LaunchPart &part) { return beginsWhole(part.box); })))
      return false;
    if (launch.rows &&
        !std::all_of(launch.rows->commands.begin(), launch.rows->commands.end(),
                     [&](const RowsLaunch::Command &c) { return isWhole(c.low) && beginsWhole(c.box); }))
      return false;
  }
  return std::all_of(launch.matrices.begin(), launch.matrices.end(), [](const LaunchMatrix &m) {
    return !m.isCopy || m.place.matrix.extent[0] * static_cast<long>(m.place.elementBytes) % kBytes == 0;
  });
}

} // namespace

KernelForm formOf(const DeviceStep &step, const DeviceKernel &kernel, const StepArguments &arguments,
                  const Launch &launch) {
  const bool unit = hasUnitStrides(step, arguments);
  return {unit, isNarrow(step, kernel, arguments, launch), unit && isWide(step, kernel, arguments, launch)};
}

std::string macrosOf(KernelForm form) {
  return std::string(form.unit ? "#define PB_UNIT 1\n" : "") + (form.wide ? "#define PB_WIDE 1\n" : "") +
         "#define PB_INDEX " + (form.narrow ? "int\n" : "long\n");
}

} // namespace pb::device
