// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a loop over points in groups of lanes, with the body's loops outside the lanes.
//
//   label x: band x: alloc s: { S0 ; label k: band k: S1 ; S2 }
//   => lanes(x; 32)   label x: lanes:32: band x: ..., printed as
//      s[l] = 0 for all l; for k: s[l] += A[i+l+k]*B[k] for all l; ...
//
// Every scalar of the body becomes an array of so many, and each statement gets its own loop over the lanes inside the
// body's loops, so that s stays in registers and the loads of A are contiguous. The mark leaves the tree as it is: the
// printer runs x in groups of 32, then of 8, then singly. (With strips in the tree instead, isl took ten times as long to
// print the same code.) Legal if the loop carries no dependence for fixed outer loops, and no loop of the body depends on it:
// then lanes share nothing, and the order within a lane is kept.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation lanesTransformation();

/// Why a loop, realised in whatever way, cannot run in groups of lanes; "" if it can.
std::string whyNoLanes(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
