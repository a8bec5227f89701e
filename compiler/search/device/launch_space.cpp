// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/launch_space.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/run.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

constexpr int kMostItems = 11; // 1, 2, 4 ... 1024, as values of a variable
constexpr int kMostPoints = 8; // 1, 2, 4 ... 128
// Each has its sums and what it reads in registers, of which there are at most 255 of 4 bytes.
constexpr long kMostPointsAtOnce = 64, kMostPointsOfRun = 16;
constexpr int kDecisionOfItems = 0, kDecisionOfPoints = 1;
constexpr long kStrips[] = {8, 16, 32};

script::Step *stripsOf(script::Script &steps) {
  const auto at = std::find_if(steps.begin(), steps.end(), [](const script::Step &s) {
    return s.transformation == "tile" && s.operands.size() == 1 && s.values.size() == 1;
  });
  return at == steps.end() ? nullptr : &*at;
}

bool isOneLaunch(const kernel::DeviceVersion &v) {
  const isl::schedule &tree = v.kernel.schedule.tree;
  const std::size_t axes = v.kernel.schedule.taskDimensions.size();
  return v.exists() && !v.rows && !v.kernel.schedule.steps && kernel::roundsOf(v.kernel.schedule) == 0 &&
         !kernel::hasTeams(tree) && !kernel::workInGroups(tree) && axes >= 1 && axes <= 3;
}

} // namespace

std::vector<LaunchVersion> launchVersions(const kernel::Scheduled &lifted) {
  std::vector<LaunchVersion> all;
  for (const kernel::DeviceVersion &v : kernel::deviceVersions(kernel::withLabels(lifted))) {
    if (!isOneLaunch(v))
      continue;
    LaunchVersion made{v.name, v.script, int(v.kernel.schedule.taskDimensions.size()),
                       kernel::hasBlocks(v.kernel.schedule.tree), kernel::hasRuns(v.kernel.schedule.tree)};
    const script::Step *const strips = stripsOf(made.steps);
    if (!strips) {
      all.push_back(std::move(made));
      continue;
    }
    for (const long strip : kStrips) {
      LaunchVersion other = made;
      other.strip = strip;
      other.name = fmt::format("{} with strips of {}", v.name, strip);
      stripsOf(other.steps)->values.front() = script::number(strip);
      all.push_back(std::move(other));
    }
  }
  return all;
}

DeviceProgram defaultLaunch(const LaunchVersion &version) {
  return {version.steps, kernel::kItemsOfGroup[std::size_t(version.axes - 1)]};
}

LaunchSpace::LaunchSpace(LaunchVersion version, long mostItems, const std::vector<long> &extents)
    : version_(std::move(version)), mostItems_(mostItems), extents_(extents) {
  // The values 1, 2, 4 ... up to the first one that is as long as the axis.
  const auto values = [&](int axis, int most) {
    const int needed = std::bit_width(static_cast<unsigned long>(extents_[std::size_t(axis)] - 1)) + 1;
    return (Domain(1) << std::min(most, needed)) - 1;
  };
  for (int axis = 0; axis < version_.axes; ++axis) {
    items_.push_back(problem_.addVariable({kDecisionOfItems, axis, -1, values(axis, kMostItems)}));
    if (version_.hasSeveralPoints)
      points_.push_back(problem_.addVariable({kDecisionOfPoints, axis, -1, values(axis, kMostPoints)}));
  }
}

std::vector<long> LaunchSpace::valuesOf(const State &state, int variable) {
  std::vector<long> values;
  for (Domain left = state.domain(variable); left != 0; left &= left - 1)
    values.push_back(1L << std::countr_zero(left));
  return values;
}

std::vector<long> LaunchSpace::items(const State &state, int axis) const {
  return valuesOf(state, items_[std::size_t(axis)]);
}

std::vector<long> LaunchSpace::points(const State &state, int axis) const {
  return points_.empty() ? std::vector<long>{1} : valuesOf(state, points_[std::size_t(axis)]);
}

bool LaunchSpace::hasTooMany(const State &state) const {
  long leastItems = 1, leastPoints = 1;
  for (int axis = 0; axis < version_.axes; ++axis) {
    leastItems *= items(state, axis).front();
    if (axis == 0 || !version_.hasRuns)
      leastPoints *= points(state, axis).front();
  }
  return leastItems > mostItems_ || leastPoints > (version_.hasRuns ? kMostPointsOfRun : kMostPointsAtOnce);
}

bool LaunchSpace::mayCoverAnAxis(const State &state) const {
  for (int axis = 0; axis < version_.axes; ++axis)
    if (items(state, axis).back() * points(state, axis).back() >= extents_[std::size_t(axis)])
      return true;
  return false;
}

DeviceProgram LaunchSpace::program(const State &leaf) const {
  DeviceProgram made{version_.steps};
  for (int axis = 0; axis < version_.axes; ++axis) {
    made.group[std::size_t(axis)] = int(items(leaf, axis).front());
    made.cells[std::size_t(axis)] = int(points(leaf, axis).front());
  }
  return made;
}

} // namespace pbc::search
