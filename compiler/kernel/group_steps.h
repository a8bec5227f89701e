// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether the groups of a device can compute several rounds of a kernel in one launch, in their own memory.
//
//   T[i, k mod 2] from T[i - 1, (k - 1) mod 2], T[i + 1, (k - 1) mod 2]
//
//      k  |      . x x x .          a group owns the points x of a launch's last round. In the rounds before it also computes what these
//      ^  |    . . x x x . .        need of its neighbours (.), as these do themselves: no group waits for another
//         +------------------ i
//
// It needs, from the values that flow between points (not from names): that each read of what the kernel writes has its value from the
// same round or from the one before, a bounded distance away along each axis; that a point writes one cell of each matrix; and that
// no cell that groups read in the first round of a launch is written in the rounds that the launch stores. With `slots` cells for each
// place in turn, these are launches whose number of rounds is a multiple of `slots`; they are not made (runtime/device/launch_rounds.h).
// Only what a launch's last round has written is stored: earlier rounds are overwritten, which is proved, except the last `slots` of
// the kernel. Those of them that other steps read (Buffer::readElsewhere) are launched one by one: none if these read the last round only. If nothing is overwritten, all rounds are stored, and only loads are saved.
//
// Source: Krishnamoorthy et al.: Effective automatic parallelization of stencil computations, PLDI 2007 (overlapped tiles).
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

/// The memory of a group has two dimensions of neighbours; with three, most of what it holds would be halo.
inline constexpr int kMostStepAxes = 2;

struct GroupStepsOutcome {
  std::optional<TimeSteps> steps;
  std::string why;
};

/// `items`: those of itemFunctions(), the round first.
GroupStepsOutcome groupSteps(const Scheduled &lifted, const TaskFunctions &items);

} // namespace pbc::kernel
