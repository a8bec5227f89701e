// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `split`, `peel` and `when` share: instances that ran in one tree run in copies of it, one copy after the other.
//
//   label x: band x: label k: band k: S
//   => sequence { x < 8: label x: band x: label k: band k: S ; x >= 8: label x_rest: band x: label k_rest: band k: S }
//
// The copies have loops of their own, which later steps can name. What is realised inside is realised in each copy.
#pragma once
#include "compiler/kernel/subtree.h"
#include "compiler/kernel/transform/support.h"

namespace pbc::kernel {

struct TreeCopy {
  isl::union_set instances;
  std::string suffix; // of the labels of its loops; "": they keep their labels
  std::string label;  // of its outermost loop; "": as the other labels
};

/// The copies of `tree`, whose labels are unique among those of the kernel.
Subtree copiesOf(const Scheduled &, const Subtree &tree, const std::vector<TreeCopy> &);

/// The kernel in which the iterations of a loop run in copies of it.
Outcome cutLoop(const Scheduled &, const LoopNode &, const std::vector<TreeCopy> &);

/// Why no part of the schedule can be taken apart; "" if it can.
std::string whyNotApart(const Scheduled &);

/// The kernel with this tree, if that breaks no dependence.
Outcome withSubtree(const Scheduled &, const Subtree &);
/// The same for a tree that changes the order of no instances (inSameOrder).
Outcome withSubtreeInSameOrder(const Scheduled &, const Subtree &);

/// The place of a loop in a sequence; the loop may be below declarations. Without a sequence, it is alone.
struct SequencePlace {
  Subtree *sequence = nullptr;
  std::size_t index = 0;
};
SequencePlace placeOf(Subtree &tree, const std::string &label);

} // namespace pbc::kernel
