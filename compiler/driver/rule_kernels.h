// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The kernel of each rule alone, for questions about what a rule computes, whatever runs beside it.
//
//   S.cell(x, 0) from(A.cell(x) a)                      rule0
//   S.cell(x, t) from(S.cell(x - 1, t - 1) l, ...)      rule1
//     => the kernels T.rule0 and T.rule1, although a plan runs both in one step
//
// Kernels are lifted as the program says it: matrices have all their versions (before schedule/versions.h).
#pragma once
#include <functional>

namespace pbc::kernel {
struct Kernel;
}

namespace pbc::driver {

struct Compilation;

/// Calls `take` with each rule that calls no transforms, at each set of points at which a plan runs it. To be called after
/// the pass `plans`.
void eachRuleKernel(Compilation &, const std::function<void(const kernel::Kernel &)> &take);

} // namespace pbc::driver
