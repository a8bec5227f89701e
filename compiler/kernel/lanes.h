// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Form (b) of vectorise: a loop over points in groups of lanes, with the body's loops outside the lanes.
//
//   band x: alloc s: { S0 ; band k: S1 ; S2 }   =>   lanes:32 above band x; s becomes an array of 32
//
// The mark says how the loop is realised and leaves the tree as it is: the printer runs x in groups of 32,
// with a loop over the lanes for each statement, then in groups of 8, then singly. (With strips in the tree
// instead, isl took ten times as long to print the same code.) Legal if the loop is parallel and no loop of
// the body depends on x.
#pragma once
#include "compiler/kernel/schedule.h"
#include <isl/schedule_node.h>

namespace pbc::kernel {

/// `band`: the loop over free variable `x`, of one member, in the kernel's schedule; it must carry no
/// dependence. `group`: number of lanes; 0: as many as the registers hold.
Outcome spreadOverLanes(const Scheduled &, const isl::schedule_node &band, int x, long group = 0);

} // namespace pbc::kernel
