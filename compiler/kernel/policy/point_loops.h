// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops over the points of a rule, as the policy for processors sees them.
//
//   label y: band y: label x: band x: { S0 ; label k: band k: S1 }   =>   pointLoops: { y, x }
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// From the outermost one on, as far as they lie directly in each other.
std::vector<LoopNode> pointLoops(const Scheduled &);

/// Whether there are two of them, of which the inner one writes one cell of a matrix in all its iterations: plans have such an order only where the
/// other loop would walk against the order in memory, or is not possible inside (schedule/order.h).
bool keepCells(const Scheduled &, const std::vector<LoopNode> &pointLoops);

/// Names and dimensions of what points run over: of these loops, then of other variables. Rules that run one after the other inside a
/// common loop have their other loops in no nest.
struct PointVariables {
  std::vector<std::string> names;
  std::vector<int> dimensions;
};
PointVariables pointVariables(const Scheduled &);

/// The step that exchanges the two innermost ones, if blocks in registers are possible only then: across the cells that lie side by side,
/// where the body's loops are longer for some of these than for others, or where they wait for each other.
Steps orderForBlocks(const Scheduled &);

} // namespace pbc::kernel
