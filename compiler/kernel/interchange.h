// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reorders the loops over a rule's points.
//
//   band (x, y): S  =>  band (y, x): S
//
// Legal if every dependence still ends later than it begins. The purpose is that neighbours in memory are
// computed one after the other.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// `order`: for each new member of the outermost band, the old member that takes its place.
Outcome interchange(const Scheduled &, const std::vector<int> &order);

} // namespace pbc::kernel
