// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes one loop of two that follow each other and run the same statement over other iterations: the opposite of cutting a loop in two.
//
//   sequence { label k: band k: S1[k]: s += A_map[k] * b[k]     for 0 <= k < y
//              label k2: band k: S2[k]: s += A_map[k] * b[k]    for y <= k < n }
//   => k = join(k, k2)
//   label k: band k: S1[k]: s += A_map[k] * b[k]                for 0 <= k < n
//
// Statements are the same if they have the same operation and access the same cells at the same iteration; no iteration may be in both.
// Legal if the iterations then run in an order that keeps all dependences.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation joinTransformation();

} // namespace pbc::kernel
