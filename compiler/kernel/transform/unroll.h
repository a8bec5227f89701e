// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes loops out, iteration by iteration.
//
//   label k: band k in [0, 3): S1   =>   unroll(k)   label k: unroll: band k: S1
//
// Always legal; possible if a constant bounds the number of iterations. The purpose is that LLVM makes vectors of a loop only
// if the loops inside are gone, and that it cannot know whether this pays.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation unrollTransformation();

/// Why a loop, realised in whatever way, cannot be written out; "" if it can.
std::string whyNotUnrolled(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
