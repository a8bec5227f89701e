// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides about the vectors of kernels in which several rules have loops of their own inside common ones: each innermost loop
// over points becomes what suits its rule.
//
//   for k { for y, x: V[x, y] -= q r     for x: s = 0; for i: s += V[x, i] ...     for x: U[x] = a U[x - 1] }
//   =>  vector(x); lanes(x2)                                       the last one is a recurrence, and stays as it is
#pragma once
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// Whether the kernel has the points of several rules, or several loops over points beside each other.
bool hasSeveralNests(const Scheduled &);

/// The kernel's loops have labels.
Steps vectorsOfRules(const Scheduled &);

} // namespace pbc::kernel
