// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// items(along; each): gives the points of a kernel to the work-items of a device's launch.
//
//   band y: band x: S                       C[x, y] = A[x, y] + B[x, y]
//   items()      =>  item:1: band item1 = y: item:0: band item0 = x: S
//   band k: band i: S                       T[i, k] from T[i - 1, k - 1], T[i + 1, k - 1]
//   items()      =>  band round = k: item:0: band item0 = i: ..
//
// An item has one value of each function along which points can run at once (task_functions.h, itemFunctions); `along` takes
// some of them only, in the order of the launch's axes. Where points wait for each other, the host launches one round after the
// other, and a launch has one value of the round. The launch covers a box of the functions' values, [low<k>, high<k>) as for
// tasks, so that a device and a processor can share the points. Source: petabricks-hetero 4, phases 1 and 2.
//
// `each = block` gives every item a block of points along the first two axes, as large as the configuration says (block:0); the pass
// loop/lower/points.cpp makes loops of it. With `each = run`, these points are neighbours, and what an item loads and stores of
// a row of them is 16 bytes at once where rows begin at multiples of that. With `each = planes`, points have three coordinates, and an item
// goes through its runs plane by plane along the third one (run:0, run:1, turn:2), so that it has what planes beside each other read. A loop that has one iteration for each item is removed.
//
// It does not apply where every loop over points carries a dependence, or where a body is called that has no version for devices.
#pragma once
#include "compiler/kernel/realisation.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

/// What `each` says, of a kernel whose items have one point each: as items(; each) makes it of the kernel before.
Outcome withEach(const Scheduled &, as::Item::Each);

Transformation itemsTransformation();

} // namespace pbc::kernel
