// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the functions along which the points of a kernel can be cut into tiles, one for each group of a device's
// work-items: where rounds (items.h) would need one launch for each value of a function, a launch covers a diagonal of
// tiles.
//
//   L[x,y] from L[x-1,y], L[x,y-1]         tiles of x, y;      inside rounds of x + y, items x
//   T[i,k] from T[i-1,k-1], T[i+1,k-1]     tiles of i + k, k;  inside rounds of k, items i + k
//   P[i,k] from P[i-9,k-1], P[i+9,k-1]     none: i is too steep for a skew
//
//      y | 1 2 3 4      tiles of points; equal numbers are one launch. Inside a tile the group goes
//        | 0 1 2 3      through its rounds, with a barrier after each
//        +-------- x
//
// The functions are those of the tasks' wavefront (task_functions.h): no dependence decreases any of them, so
// none leads from one tile to another of the same diagonal, whatever the sizes of tiles. A round inside a
// tile is a sum of as few of the functions as possible, such that dependences between points of one round
// leave all functions unchanged; a work-item is a value of each function. The transformation `rounds` makes the schedule.
//
// Through time, at most as many groups work at once as there are tiles along time: tiles pay if there are
// many steps and few places. Diamonds (time_functions.h) would let all places work at once, but need rounds
// that are not a sum of the tiles' functions, and launches for some of the diagonals only. Source:
// petabricks-hetero 4; Irigoin, Triolet: Supernode partitioning, POPL 1988.
#pragma once
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

/// A launch has three dimensions of items; one more function follows from the round.
inline constexpr int kMostTileFunctions = 4;

struct GroupTiles {
  std::vector<TaskFunction> functions; // x first
  std::vector<bool> isInRound;         // by function: whether it is a summand of the round; the last one is
};

struct GroupTilesOutcome {
  std::optional<GroupTiles> tiles;
  std::string why;
};

GroupTilesOutcome groupTiles(const Scheduled &lifted);

/// The round of a point.
isl::union_pw_aff roundOf(const GroupTiles &);

} // namespace pbc::kernel
