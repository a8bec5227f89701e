// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the transformations share that give points to work-items: bands over functions of the points, around the whole tree.
//
//   band y: band x: S     =>  withItemBands({item0 = x, item1 = y})  =>  item:1: band item1 = y: item:0: band item0 = x: S
//
// A loop that has one iteration for each item is removed. Invariant: a band of items carries no dependence.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

/// Why the points cannot be given to items: they have some, loops are realised already, or devices cannot run the body.
std::string whyNoItemBands(const Scheduled &);
/// `cut` in rounds, of which a launch has one: limited to the points of that round.
Scheduled ofOneRound(const Scheduled &cut, const TaskFunction &round);
/// `cut` with these bands, the innermost one first. `ofItems`: the functions of which an item has one value.
Outcome withItemBands(Scheduled cut, const std::vector<TaskFunction> &ofItems,
                      const std::vector<NewLoop> &bands);

} // namespace pbc::kernel
