// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a group over the points of its tile, round by round (kernel/transform/rounds.h).
//
//   rounds of item0 + item1; the statements of one point (item0, item1)
//   =>  parallel groups: at0 = first0
//         let at1 = diagonal - at0
//         let begin0 = low0 + at0 * tile0, end0 = min(begin0 + tile0, high0), ...
//         parallel items: lane0 = 0
//           for round = begin0 + begin1; round < past
//             let stop0 = min(end0, round - begin1 + 1)
//             for item0 = max(begin0, round - (end1 - 1)) + lane0; item0 < stop0; step PB_G0
//               let item1 = round - item0
//               statements
//             barrier
//
// All items of a group go through the same rounds; if the tile lies outside of the points' box, through none. Invariant: the group's
// number along an axis, its tile's size and the diagonal are arguments of the launch, in the order of tileArguments().
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// The arguments behind the limits (runtime/device/launch_rounds.h sets them).
std::vector<std::string> tileArguments(std::size_t functions);
/// `items`: the loops of an item's functions, by axis.
NodePtr forEachPointOfTile(const std::vector<kernel::LoopNode> &items, const NodePtr &body);

} // namespace pbc::loop
