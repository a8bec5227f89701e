// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the loop tree of a scheduled kernel, from isl's AST of its schedule tree.
//
//   vector: band i: alloc s: sequence S0 ; band k: S1 ; S2
//   =>  for c0 [vector] { array s; s = 0; for c1 { s += A[c0 - 1 + c1] }; B[c0] = s / 3.0 }
//
// A realisation belongs to the loop of its band, which isl may have made several of, or none if it runs only once.
// Names: c<k> is the variable of a loop with k loops around; low<k> and high<k> are the limits of the task.
//
// Invariant: the tree is made once for a kernel; the version for matrices with unit stride, the general one and the one
// for a device differ in what lowering does (lower/lower.h) and in how it is printed.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// isl's AST of the schedule; throws isl::exception if it exceeds a budget.
isl::ast_node generate(const kernel::Scheduled &);

/// The matrices of a kernel, by its buffers.
std::vector<Matrix> matrices(const kernel::Kernel &);

/// `forDevice`: the bodies that were not lifted are called in their version for devices.
Nest build(const kernel::Scheduled &, const isl::ast_node &, bool forDevice = false);

} // namespace pbc::loop
