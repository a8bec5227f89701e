// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The shape of a launch in which the items of a group compute cells together (abi/device.h, DeviceTeams).
//
//   1 cell of 10^6 steps, groups of 256 items, teams of 256, 100 units
//   => 1 cell for each group; 488 parts, of 8 steps for each item: 488 groups in pass 1, one group in pass 2
//   1000 cells of 50 steps, groups of 256 items, teams of 64
//   => 4 cells for each group, one part: 250 groups, pass 0
//
// Invariant: the cells of a group divide its items.
#pragma once
#include "runtime/abi/device.h"
#include "runtime/device/device.h"

namespace pb::device {

struct TeamLaunch {
  bool isOne = false; // whether the launch has teams; else the other members have no meaning
  int cells = 1;      // of a group
  long parts = 1;     // of each cell
  int passes = 1;
  unsigned long bytes = 0; // of the buffer for partial results; 0: there are none

  /// The passes are numbered 0, or 1 to `passes`.
  int firstPass() const { return parts > 1 ? 1 : 0; }
  int lastPass() const { return parts > 1 ? passes : 0; }
  /// The number of groups of the pass that have parts of the same cells.
  long partsOf(int pass) const { return pass == 2 ? 1 : parts; }
};

/// `group`: the items of a group.
TeamLaunch teamsOf(const DeviceStep &, const DeviceTeams &, const Frame *, const Box &, const Description &,
                   const int *group);

/// The items of one pass.
Grid gridOf(const TeamLaunch &, int pass, const Box &, bool inRounds, const int *group);

} // namespace pb::device
