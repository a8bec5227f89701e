// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts a kernel into pieces that tasks can run at the same time.
//
//   S[x, y] : 0 <= x < w, 0 <= y < h, no dependences
//   => S[x, y] : ... and low0 <= x < high0 and low1 <= y < high1     ranges x in [0, w), y in [0, h)
//
// Along which functions of the points, and in which order the pieces may then run: task_functions.h. The
// order of points inside a piece is the schedule's. Why limits are parameters: one emitted function serves
// every cut that the runtime decides on, and the whole range is the sequential version.
#pragma once
#include "compiler/kernel/kernel.h"
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

struct TaskCut {
  long grain = 0;                 // points of x at multiples of which tasks begin; 0: 256
  std::vector<std::string> along; // only these functions; legal where parts may run in any order. Empty: all
  bool diamonds = false;          // in time (time_functions.h)
};

Outcome splitIntoTasks(const Kernel &, const TaskCut & = {});

/// The points limited to parts along these functions, without asking whether that is of use. A function with
/// one value only is left out.
Kernel cutAlong(const Kernel &, const TaskFunctions &, long grainX = 1);

} // namespace pbc::kernel
