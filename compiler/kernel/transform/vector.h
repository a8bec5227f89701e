// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a loop a vector loop.
//
//   label x: band x: { S0 ; label k: unroll: band k: S1 }   =>   vector(x; interleave = 2)   label x: vector:2: band x: ...
//
// Legal if the loop carries no dependence for fixed outer loops. The loops inside must be written out first (unroll), because
// LLVM makes vectors of innermost loops.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation vectorTransformation();

/// Why a loop, realised in whatever way, cannot be a vector loop; "" if it can.
std::string whyNoVector(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
