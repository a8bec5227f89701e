// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The instances of a statement at which a condition of its value holds.
//
//   S[x]: B[x] = ((x - 1) >= 0) ? A[-1 + x] : 0.0     for 0 <= x < w
//   => whereHolds(kernel, S, (x - 1) >= 0)  =  { S[x] : x >= 1 }
//
// Conditions are comparisons of sums of dimensions and sizes, joined by and, or, and not. Others depend on what matrices contain.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// A set that may have points outside of the statement's domain; nothing if the condition has another form.
std::optional<isl::set> whereHolds(const Kernel &, const Statement &, const Expr &condition);

} // namespace pbc::kernel
