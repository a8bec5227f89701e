// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory of a group that computes several rounds (step_loops.h): a box of places for each of two rounds, with lines of cells that mean
// nothing around it.
//
//   two rounds of 64 x 32 places whose points read their neighbours   cell (place0, place1) of round 1, among 4 + 64 + 2 * 64 * 32 + 4 + 64:
//                                                                     4 + 64 + (1 * 32 + place1) * 64 + place0
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

std::string alongAxis(const char *name, std::size_t axis);
/// The places of the group along an axis.
Expr placesAlong(std::size_t axis);
/// How many cells the memory has.
Expr stepMemoryCells(const kernel::TimeSteps &);
std::string stepMemoryName(const kernel::Buffer &);
/// The group's cell of the point at `place0`, .. in this round, or in the one that is so many behind, or of one that lies so far away (none:
/// of the point itself).
Expr stepMemoryCell(const kernel::TimeSteps &, const kernel::Buffer &, int behind,
                    const std::vector<Expr> &away);

} // namespace pbc::loop
