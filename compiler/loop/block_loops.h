// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over blocks of steps with several parts inside, of which isl makes one loop each.
//
//   for kt = 0; kt < n; step 8                                    not one loop for the blocks in which only the first part runs,
//     for k = kt; k < min(n, kt + 8) ..                           another one for those in which both do, and so on
//     if kt + 8 <= n ..
//
// Invariant: instances and their order are the same ones.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::loop {

/// Where a statement runs in several parts of a block: then isl would tell many cases apart, of which each has code of its own.
isl::schedule withSingleBlockLoops(const kernel::Kernel &, const isl::schedule &);

} // namespace pbc::loop
