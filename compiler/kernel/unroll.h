// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unrolls the loops of bodies that have few iterations for all sizes.
//
//   band k in [0, 3): S1  =>  mark unroll: band k: S1
//
// Always legal. The purpose is that LLVM vectorises the loop over points only if the loops inside are gone,
// and it cannot know that unrolling three iterations pays.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// The number of iterations up to which LLVM unrolls a loop.
inline constexpr long kShortBody = 32;

/// Marks body loops whose instances per point, over all loops, are at most `most`; otherwise says which loop
/// is longer.
Outcome unrollBodies(const Scheduled &, long most);

} // namespace pbc::kernel
