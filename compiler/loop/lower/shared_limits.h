// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops with limits or conditions of single points as loops that all points of an item go through together, which group memory and barriers
// need (points.cpp). A loop whose limits are the lesser or the greater of one that all points have and one of each point runs to the former:
//
//   for k = c0; k <= min(c0 + 15, item0) { s += strip[k - c0] }
//   =>  for k = c0; k <= c0 + 15 { if k <= item0 { s += strip[k - c0] } }
//
// Invariant: for each point, the same steps run in the same order.
#pragma once
#include "compiler/loop/tree.h"
#include <functional>

namespace pbc::loop {

/// Whether an expression may have other values for other points of the item.
using DiffersByPoint = std::function<bool(const Expr &)>;

/// A loop whose limits differ, or one under a condition that does, as one that is the same for all points and has the conditions inside. Null
/// for another node, for limits without a part that all points have, and for loops with copies.
NodePtr asLongForAll(const NodePtr &, const DiffersByPoint &);

} // namespace pbc::loop
