// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Cuts a kernel into parts that tasks can run at the same time (split_tasks.h).
//
//   S[x, y] : 0 <= x < w, 0 <= y < h, no dependences
//   => tasks(x, y; grain = 256)    S[x, y] : ... and low0 <= x < high0 and low1 <= y < high1
//
// Without names, all functions of the points along which the kernel can be cut take part (task_functions.h); names are
// those of functions, and possible only if parts may run in any order. Any label that a loop has stays.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation tasksTransformation();

} // namespace pbc::kernel
