// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The iterations of a loop around a whole body are points of its rule, where none of them needs another one: what is decided for points, as groups
// of rows at once, is then decided for them.
//
//   to(Sum sum) from(A a) { for (y..) { double s = 0; for (x..) s += a.cell(x, y); sum.cell(y) = s; } }
//   S0[; y]: R0_s[] = 0   S1[; y, x]: R0_s[] += A[x, y]   S2[; y]: Sum[y] = R0_s[]
//   =>  S0[y]: R0_s[y] = 0   S1[y; x]: R0_s[y] += A[x, y]   S2[y]: Sum[y] = R0_s[y]          each y has a scalar of its own
//
// Invariant: what each statement computes, and the order within an iteration, stay as they are.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// For a kernel of one rule with one point, whose tree has no labels yet. Leaves it as it is if other statements stand beside the loop, if
/// iterations need each other, or if a scalar keeps its value from one to the next.
void iterationsAsPoints(Scheduled &);

} // namespace pbc::kernel
