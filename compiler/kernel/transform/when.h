// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two schedules of one kernel, and a condition on its sizes that chooses between them.
//
//   label y: band y: label x: band x: S
//   => when(w >= 64)
//   sequence { w >= 64: label y: band y: label x: band x: S ; w < 64: label y_else: band y: label x_else: band x: S }
//
// What runs if the condition holds keeps its labels; the loops of the other part have `_else` behind theirs, so that later
// steps can treat the two parts differently. Each instance is in one part, so the step is always legal. The condition is
// checked once, around the loops.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation whenTransformation();

} // namespace pbc::kernel
