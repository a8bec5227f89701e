// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts a kernel into parts that tasks can run at the same time.
//
//   S[x, y] : 0 <= x < w, 0 <= y < h, no dependences
//   => S[x, y] : ... and low0 <= x < high0 and low1 <= y < high1     ranges x in [0, w), y in [0, h)
//
// task_functions.h decides along which functions of the points the kernel is cut, and in which order the
// parts may run. The order of points inside a part is the schedule's. The limits are parameters, so that one
// emitted function serves every cut that the runtime chooses, and the whole range is the sequential version.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/kernel/task_functions.h"

namespace pbc::kernel {

struct TaskCut {
  long grain = 0;                 // tasks begin at multiples of this many points of x; 0: 256
  std::vector<std::string> along; // only these functions, if parts may run in any order; empty: all
  bool diamonds = false;          // in time (time_functions.h)
};

Outcome splitIntoTasks(const Scheduled &, const TaskCut & = {});

/// The points limited to parts along these functions, whether or not that is useful. A function that has a
/// single value is left out.
Scheduled cutAlong(const Scheduled &, TaskFunctions, long grainX = 1);
/// The same in two steps: the dimensions of the cut and what is known of low<k> and high<k>, with the functions
/// that have several values left in `tasks`; and the points limited to the first functions' limits.
Scheduled withParts(const Scheduled &, TaskFunctions &tasks, long grainX = 1);
Scheduled limitedToPart(const Scheduled &parts, const std::vector<TaskFunction> &functions);

/// All values of a function, over the parameters.
struct WholeRange {
  isl::pw_aff least, most;
};
/// A kernel whose points are limited already, limited to parts along one more function: the last of its task dimensions.
Scheduled cutFurther(const Scheduled &, const TaskFunction &, const WholeRange &);

} // namespace pbc::kernel
