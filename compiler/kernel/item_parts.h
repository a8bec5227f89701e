// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The boxes of which the points of a launch are made, where the box around all of them has many more.
//
//   B[x,y] at the edge of [0, n) x [0, m)   =>   x = 0; x = n - 1; and between these y = 0 and y = m - 1
//   the points with x < y                   =>   none: they are no boxes
//
// A launch over the box around the edge of a picture has an item for each cell of the picture, most of which find out that they have
// nothing to do: on an H100, a copy of the edge took half as long as the stencil inside it. Launches for the parts have the items that
// are needed; the runtime decides by their number (runtime/device/session.cpp).
//
// Invariant: parts have no point in common, and all points lie in some part.
#pragma once
#include "compiler/kernel/items.h"
#include "compiler/kernel/touched_cells.h"

namespace pbc::kernel {

/// The largest number of parts (runtime/abi/device.h).
inline constexpr int kMostParts = 8;

struct ItemPart {
  std::optional<isl::set> condition; // over the parameters: there is such a part; nothing: always
  std::vector<Interval> functions;   // of `Items::kernel`, where it is
};

/// Empty if there are fewer than two boxes, too many, or parts that are no boxes. May exceed a budget of isl.
std::vector<ItemPart> partsOf(const Items &);

} // namespace pbc::kernel
