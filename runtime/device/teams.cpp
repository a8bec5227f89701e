// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/teams.h"
#include <algorithm>

namespace pb::device {
namespace {

constexpr long kItemsOfUnit = 2048; // as many as it can have at once
constexpr long kItemsOfScan =
    1024; // of a scan, whose items have more registers: all groups shall be at work together
constexpr long kStepsOfItem = 8; // with fewer, another pass costs more than it saves
constexpr long kMostParts = 1024;

/// The number of cells along each of the first three functions that have items.
void extents(const Box &box, bool inRounds, long *all) {
  all[0] = all[1] = all[2] = 1;
  int item = 0;
  for (int d = inRounds ? 1 : 0; d < box.rank; ++d, ++item)
    all[std::min(item, 2)] *= box.high[d] - box.low[d];
}

long quotient(long a, long b) { return (a + b - 1) / b; }

} // namespace

TeamLaunch teamsOf(const DeviceStep &step, const DeviceTeams &teams, const Frame *frame, const Box &box,
                   const Description &about, const int *group) {
  const int items = group[0] * group[1] * group[2];
  long extent[3];
  extents(box, step.inRounds, extent);
  const long team = std::clamp(ofContext(step.teams)[2 * frame->bin], 1L, static_cast<long>(items));
  TeamLaunch launch;
  launch.isOne = true;
  launch.cells = static_cast<int>(std::min(items / team, std::max(1L, extent[0])));
  while (items % launch.cells)
    --launch.cells;
  if (!teams.values || step.inRounds)
    return launch;
  const bool isScan = teams.passes > 2;
  const long groups = quotient(extent[0], launch.cells) * extent[1] * extent[2];
  long parts = ofContext(step.teams)[2 * frame->bin + 1];
  if (parts == 0 && teams.steps && groups < about.units) {
    const long most = teams.steps(frame, &box) / (kStepsOfItem * (items / launch.cells));
    const long groupsOfUnit = std::max(1L, (isScan ? kItemsOfScan : kItemsOfUnit) / items);
    parts = std::min(most, groupsOfUnit * about.units / groups);
  }
  launch.parts = std::clamp(parts, 1L, kMostParts);
  launch.passes = teams.passes;
  if (launch.parts > 1)
    launch.bytes = 8UL * static_cast<unsigned long>(teams.values) *
                   static_cast<unsigned long>(extent[0] * extent[1] * extent[2] * launch.parts);
  return launch;
}

Grid gridOf(const TeamLaunch &teams, int pass, const Box &box, bool inRounds, const int *group) {
  long extent[3];
  extents(box, inRounds, extent);
  Grid grid;
  extent[0] = quotient(extent[0], teams.cells) * teams.partsOf(pass);
  for (int d = 0; d < 3; ++d) {
    grid.group[d] = group[d];
    grid.items[d] = extent[d] * group[d];
  }
  return grid;
}

} // namespace pb::device
