// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// steps(): gives the points of several rounds to the groups of one launch.
//
//   band k: band i: S        T[i, k mod 2] from T[i - 1, (k - 1) mod 2], T[i + 1, (k - 1) mod 2]
//   steps()  =>  step:0: band item0 = i: band round = k: S
//
// The launch says which rounds it has, [low0, high0). A group owns a box of places, and computes what these need in a wider box, which
// becomes narrower from round to round. What is written and read again stays in the group's memory (group_steps.h says when that is
// correct); loop/step_loops.h makes the loops. The tree is that of one round, as `items` makes it.
//
// It does not apply where points need no rounds, or read what was written more than one round before.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation stepsTransformation();

} // namespace pbc::kernel
