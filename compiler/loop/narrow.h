// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// For which sizes the whole numbers of a loop tree fit into 32 bits.
//
//   for c0 < n: A[2 * c0 + 1, m]      numbers up to 2 n + 1, so that all sizes up to 2^30 - 1 will do
//
// Each number is bounded by a multiple of the largest size, tunable or limit of the launch, plus a constant. Offsets of cells (sums of
// coordinates times strides) are not part of the tree: the runtime, which knows the strides, looks at these.
//
// What is larger than a bound on the cells of a group's memory, or on the places of a launch's memory for the values of parts (a
// Partial), is not asked here either: the runtime gives no such launch 32 bits.
//
// Invariant: the tree is not lowered yet (points of a launch and copies of groups are nodes), except that of teams, in which all numbers
// stand. Indices that lowering adds are smaller than a bound on the cells of a group's memory, which is added to each number. The number
// of a group is multiplied only by how many points each group has along its axis.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// The largest absolute value of sizes, tunables and limits for which all numbers fit; 0 if there is none, because two of them are
/// multiplied.
long largestSizeIn32Bits(const NodePtr &);

} // namespace pbc::loop
