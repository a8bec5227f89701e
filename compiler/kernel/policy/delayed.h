// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Updates of whole matrices in each step of an elimination, which are delayed to the end of a block of steps where that is legal
// (transform/delay.h).
//
//   for k: for y, x >= k: S[x, y] -= S[k - 1, y] / S[k - 1, k - 1] * S[x, k - 1]      => delay(k; 8)
#pragma once
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// Whether some loop updates cells in each step.
bool hasUpdates(const Scheduled &);
/// The steps, if the cells that are updated lie side by side along the innermost loop. What these updates read far apart is copied once for
/// all rows.
Steps delaySteps(const Scheduled &);
/// The same for the steps of one loop, whatever loops are around it.
Steps delaySteps(const Scheduled &, const std::string &loop);

} // namespace pbc::kernel
