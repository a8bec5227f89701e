// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the work-items of a launch are called in functions and sets.
//
//   item:1: band y: item:0: band x: S[x, y]      the point of one item is x = item0, y = item1
//
// These are parameters of isl: item<axis> is the coordinate of one item's point, first<axis> that of the first point of its group, last<axis>
// that of the last one, and place<axis> the distance between the item's point and the first. Where an item has several points, begin<axis> is the coordinate of its first one, and r<axis>
// the number of a point. Invariant: a point beyond the last one of a launch is computed as the last one (and not
// stored), but keeps its own place in the group. Decision 32 says why these are parameters.
#pragma once
#include "compiler/kernel/loops.h"

namespace pbc::kernel {

std::string itemParameter(int axis);  // "pb__item0"
std::string firstParameter(int axis); // "pb__first0"
std::string lastParameter(int axis);  // "pb__last0"
std::string placeParameter(int axis); // "pb__place0"
std::string beginParameter(int axis); // "pb__begin0"
std::string pointParameter(int axis); // "pb__r0"

/// The loops whose iterations are items, by axis. A machine has at most three, a kernel perhaps more.
std::vector<LoopNode> itemLoops(const isl::schedule &);
/// Whether an item computes several points.
bool hasBlocks(const isl::schedule &);
/// Whether an item has runs of points.
bool hasRuns(const isl::schedule &);
/// Whether an item goes through planes of its points in turns.
bool hasPlanes(const isl::schedule &);
/// Whether the items of a group compute something together, such as a tile of points.
bool workInGroups(const isl::schedule &);
/// Whether a team of items computes each cell.
bool hasTeams(const isl::schedule &);
/// Whether the points of a group are told apart from those of others: items compute several, or there is memory of groups or items.
bool hasGroups(const Scheduled &);

/// The number of functions of the launch before those of its items: 1 if it is one of several rounds.
int roundsOf(const Schedule &);
/// The round of a launch: the value of the loop around its items; "" if there are none.
std::string roundParameter(const Schedule &);
/// Whether the kernel has the points of one group only (ofOneGroup).
bool isOfGroup(const Scheduled &);
/// The kernel with the points of one group, whose first and last ones are parameters, so that steps can be told apart by what all of its
/// items do. The points of a launch belong to one group each.
Scheduled ofOneGroup(const Scheduled &);

/// What is known of the parameters: the context, with each item between the limits of its launch, and of its group if that is known.
isl::set withinLaunch(const Scheduled &);
/// The context, with the first point of each group between the limits of the launch.
isl::set contextOfGroup(const Scheduled &);
/// withinLaunch without the limits.
isl::set contextOfItem(const Scheduled &);

} // namespace pbc::kernel
