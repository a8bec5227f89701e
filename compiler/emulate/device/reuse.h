// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which sectors of memory a kernel for devices loads that are in a cache, because a neighbour or an earlier turn of a loop has loaded them.
//
//   a stencil of five points, groups of 32 x 8 items    =>  of the sectors of its five loads 0.73 are in L1: other warps of the group have them;
//                                                           0.08 are in L2: groups beside and above have them
//
// All items of a group are followed without data, and one of each group beside it; from its addresses follow those of the whole group there, as
// accesses are affine. A sector is in L1 if an item of the group has loaded it before in this turn, or in the turn before of the innermost
// loop; in L2 if a group that comes earlier in a launch has. Limits of sizes: both caches are taken to keep it, which is so where what
// groups at once touch is small. Source: bottleneck-analysis.md 3.4 ("cache mix").
#pragma once
#include "compiler/loop/warp_lane.h"
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace pbc::emulate {

struct ReuseQuestion {
  const std::vector<loop::Matrix> &matrices;
  const loop::NodePtr &lowered;
  const loop::LaunchShape &shape;
  const std::map<std::string, long> &sizes; // as the loops call them
  std::optional<long> otherSizes;           // none: they are large
};

/// Of the sectors of loads, from 0 to 1 together.
struct InCaches {
  double first = 0, second = 0; // L1, L2
};

/// An access of the loops: the expression, and the turns of the loops around it, of which those that are written out are the last ones.
using AccessKey = std::tuple<const loop::Expression *, std::vector<long>, std::vector<long>>;

struct Reuse {
  std::map<AccessKey, InCaches> loads;
  InCaches all; // of all loads of a turn of all loops
};

Reuse reuseOf(const ReuseQuestion &);

/// The byte of a cell of the device's memory, where rows of all matrices are so long that no two meet.
inline constexpr long kRowOfCells = 1L << 20;  // cells between neighbours along each dimension but the first
inline constexpr long kCellsInside = 1L << 12; // from the first cells: no access is cut off at an edge

} // namespace pbc::emulate
