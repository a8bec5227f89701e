// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel for a device: its points as work-items.
//
//   C[x,y] = A[x,y] + B[x,y]                  items (x, y)
//   T[i,k] from T[i-1,k-1], T[i+1,k-1]        rounds k, items i
//   L[x,y] from L[x-1,y], L[x,y-1]            rounds x + y, items x
//   P[x] = P[x-1] + A[x]                      none: every loop over its points carries a dependence
//
// `kernel` is cut along these functions like tasks are (split_tasks.h), for whoever asks what a part of the
// points touches; `item` is the same with one value of each function, pb__low<k>: what one work-item does. A
// body that is called has one if it can be written for devices (body/device_body.h). Source:
// petabricks-hetero 4, phases 1 and 2.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// How many functions a box of a launch may have (runtime/abi/loops.h, Box).
inline constexpr int kMostFunctions = 5;

struct Items {
  Kernel kernel; // taskDimensions: the functions; taskOrder: Any, or Rounds along function 0
  Kernel item;
  bool inRounds() const { return kernel.taskOrder == TaskOrder::Rounds; }
};

struct ItemsOutcome {
  std::optional<Items> items;
  std::string why;
  source::Span at = {}; // of what is to be blamed in a body
};

/// `lifted`: in the order of the plan, as lift() makes it.
ItemsOutcome mapToItems(const Kernel &lifted);
/// `cut` with one value of each of its functions; `order`: the schedule before the cut, which does not speak
/// of high<k>.
Kernel oneItem(const Kernel &cut, const isl::schedule &order);
/// All points as one item; for whoever gives it to the items of a group together (cooperate.h).
Items asOneItem(const Kernel &lifted);

} // namespace pbc::kernel
