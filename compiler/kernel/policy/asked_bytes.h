// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// About how many bytes of matrices a point asks for: where items keep what runs of points read, and where groups share it.
//
//   the sum of 25 neighbours in a row, doubles   =>   by items with runs of 2: 27.5, as the last lanes of a warp load what is beside
//                                                     their runs themselves; by groups of 256 items: 8.75
//   the 7 x 7 cells, floats, 4 x 32 points       =>   5 and 8.3
//
// The figures of loop/traffic.h, from the boxes of the cells alone.
#pragma once
#include "compiler/kernel/schedule.h"
#include <array>

namespace pbc::kernel {

/// By items with so many points, of which they have `atOnce` rows at a time. The kernel keeps matrices.
double askedByItems(const Scheduled &, std::array<int, 3> cells, long atOnce);
/// The same cells, copied by groups of 256 items with a point each.
double askedByGroups(const Scheduled &);

} // namespace pbc::kernel
