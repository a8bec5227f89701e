// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conditions that are the same for all items of a group, without a word about the item, and not in a branch on it.
//
//   item1 == 0 && last1 == 0 && first1 == 0 && c0 == 0            =>    last1 == 0 && first1 == 0 && c0 == 0
//   last1 == item1 && first1 == item1 ? item1 - 15 : first1 + 1    =>    last1 == first1 ? first1 - 15 : first1 + 1
//
// isl finds all equalities that follow from a condition and from what it knows of the item, which lies between the first and the last of its
// group, and writes one name for another. So a condition may look as if items parted ways in front of a barrier.
//
// Invariant: the new expression has the value of the old one, for each item that lies between the first and the last one.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// What an item's point along an axis is called, and the first and the last one of its group.
struct GroupAxis {
  std::string item, first, last;
};

/// A branch on the item's point, in which the group makes copies below conditions that hold only where all of its items take the branch: these
/// copies, with all that is below their conditions, stand behind the branch, or between two of them.
///
///   if item1 >= 1: { s = A[item1, 0]; if first1 >= 32: fill A_group }    =>    if item1 >= 1: s = A[item1, 0]
///                                                                             if first1 >= 32: fill A_group
NodePtr withCopiesApart(const If &, const std::vector<GroupAxis> &);

/// Where the first and the last point of the group are the same, the first one stands for the item's.
Expr withoutImpliedItems(const Expr &, const std::vector<GroupAxis> &);

} // namespace pbc::loop
