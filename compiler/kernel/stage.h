// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads inputs of a device's kernel by way of group-local memory.
//
//   item (x, y): B[x, y] = A[x - 1, y] + A[x, y] + A[x + 1, y]        box of A for one item: 3 x 1
//   =>  A staged: cells [first0 - 1, first0 + G0 + 1) x [first1, first1 + G1)
//                 of a group whose first item is (first0, first1)
//
// The items of a group copy the cells that they read together, wait, and read the copy. This pays where the
// box of cells that one item reads has a constant size greater than one: then neighbours share cells, and the
// size of the copy is known when the kernel is built. Inputs may have any rank, and several can be staged at
// once. Source: petabricks-hetero 4, phase 3; requirements 17 to 19, 98.
#pragma once
#include "compiler/kernel/items.h"

namespace pbc::kernel {

/// The item with Buffer::staged set for every input that has such a box; or why there is none.
Outcome stageInputs(const Items &);

} // namespace pbc::kernel
