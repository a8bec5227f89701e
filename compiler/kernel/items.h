// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel for a device: its points as work-items.
//
//   C[x,y] = A[x,y] + B[x,y]                  items (x, y)
//   T[i,k] from T[i-1,k-1], T[i+1,k-1]        rounds k, items i
//   L[x,y] from L[x-1,y], L[x,y-1]            rounds x + y, items x
//   P[x] = P[x-1] + A[x]                      none: every loop over its points carries a dependence
//
// `kernel` is cut along these functions as for tasks (split_tasks.h), and tells what a part of the points
// touches; `item` is the same with one value of each function, pb__low<k>: the work of one work-item. A body
// that is called has an item if it can be written for devices (body/device_body.h). Source: petabricks-hetero
// 4, phases 1 and 2.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// The largest number of functions of a launch's box (runtime/abi/loops.h, Box).
inline constexpr int kMostFunctions = 5;

struct Items {
  Scheduled kernel; // taskDimensions: the functions; taskOrder: Any, or Rounds along function 0
  Scheduled item;
  bool inRounds() const { return kernel.schedule.taskOrder == TaskOrder::Rounds; }
};

struct ItemsOutcome {
  std::optional<Items> items;
  std::string why;
  source::Span at = {}; // of the code in a body that prevents it
};

/// Why a kernel cannot run on devices, whatever its loops are; `why` is empty if it can.
struct Obstacle {
  std::string why;
  source::Span at = {}; // of the code in a body that prevents it
};
Obstacle whyNoItems(const Kernel &);
/// Why the functions along which a kernel was cut make no launch; "" if they do.
std::string whyNoLaunch(const Kernel &lifted, const Scheduled &cut);

/// `lifted`: in the order of the plan, as lift() makes it.
ItemsOutcome mapToItems(const Scheduled &lifted);
/// `cut` with one value of each of its functions; `order`: the schedule before the cut, which does not refer
/// to high<k>.
Scheduled oneItem(const Scheduled &cut, const isl::schedule &order);
/// All points as one item, which the items of a group can compute together (cooperate.h).
Items asOneItem(const Scheduled &lifted);

} // namespace pbc::kernel
