// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds integer functions of a kernel's points along which the points can be cut into tasks, and the order in
// which the parts may then run.
//
//   C[x,y] = A[x,y] + B[x,y]                     x and y, any order
//   L[x,y] from L[x-1,y], L[x,y-1]               x and y as a wavefront
//   T[i,k] from T[i-1,k-1], T[i+1,k-1]           i + k and k as a wavefront: skewed tiles
//   X[c,r] from the whole of row r-1             r in rounds, c in any order inside each
//   U[i,k] from T[i+-1,k-1], T[i,k] from U[i+-1,k]   i + turn and turn as a wavefront: the turns of a step are counted as time
//
// Every dependence leaves the functions of an order `Any` unchanged and never decreases those of a wavefront;
// in rounds it increases the first function or leaves the others unchanged. So the points may run in the
// order of the schedule inside each part, whatever shape the parts have.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// With steeper skews the tiles overlap little with the points.
inline constexpr int kSteepestSkew = 4;

struct TaskFunction {
  std::string name;        // "x", "i + 2 k"
  isl::union_pw_aff value; // over the statements' instances
  bool isX = false;        // dimension 0, which is contiguous in memory
  /// True if the dimension is one of the written cells; otherwise it is time, in which cells are written again.
  bool isPlace = true;
  std::string along = {}; // if skewed: a place plus `slope` times the function of this name
  int slope = 0;
};

struct TaskFunctions {
  TaskOrder order = TaskOrder::Any;
  std::vector<TaskFunction> functions; // none: the points can only run one after the other
};

TaskFunctions taskFunctions(const Scheduled &);
/// The same for the work-items of a device, which have no order: `Any` or `Rounds`, never `Wavefront`. The
/// diagonals of a wavefront, on which the sum of its functions is constant, are rounds.
TaskFunctions itemFunctions(const Scheduled &);

/// The function for the instances of one statement.
isl::pw_aff valueAt(const TaskFunction &, const Statement &);
/// All values of the function.
isl::set valuesOf(const TaskFunction &, const Kernel &);
/// "k", "2 k"
std::string multiple(int factor, const std::string &name);

} // namespace pbc::kernel
