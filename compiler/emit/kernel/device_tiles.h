// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints kernels in which a group of work-items computes a tile of points (kernel/group_tiles.h), round by
// round.
//
//   tiles of x, y; rounds of x + y; statements of one point (low0, low1)
//   => const long at0 = first0 + PB_GROUP_ID(0), at1 = diagonal - at0;
//      const long begin0 = from0 + at0 * tile0, end0 = pb_minimum(begin0 + tile0, to0), ...
//      for (long round = begin0 + begin1; round < past; ++round) {
//        for (long low0 = ... + PB_LOCAL_ID(0); low0 < ...; low0 += PB_G0) {
//          const long low1 = round - low0;
//          statements
//        }
//        PB_BARRIER();
//      }
//
// All items of a group go through the same rounds; if the tile lies outside of the points' box, through none.
// The sizes of tiles are arguments, so one kernel serves every size.
#pragma once
#include "compiler/kernel/group_tiles.h"

namespace pbc::emit {

/// The arguments behind from<k> and to<k> (runtime/device/launch_rounds.h sets them).
std::string tileArguments(const kernel::GroupTiles &);
std::string tileLoops(const kernel::GroupTiles &, const std::string &statements);

} // namespace pbc::emit
