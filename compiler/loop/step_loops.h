// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of a group over several rounds of its points (kernel/transform/steps.h).
//
//   the statement T[item0, low0 mod 2] = T[item0 - 1, (low0 - 1) mod 2] of one point and one round, low0
//   =>  group array T_kept[2][PB_G0 * PB_C0]
//       parallel groups: begin0 = low1 + group0 * (PB_G0 * PB_C0 - 2 * (high0 - low0 - 1)); end0 = ..
//         parallel items: for step = low0; step < high0
//           for place0 = lane0; place0 < PB_G0 * PB_C0; step PB_G0: if item0 is needed in this round
//             if step == low0 { result = T[item0 - 1, (step - 1) mod 2] } else { result = T_kept[(step - low0 + 1) % 2][place0 - 1] }
//             T_kept[(step - low0) % 2][place0] = result
//             if begin0 <= item0 < end0 and step + 1 == high0 { T[item0, step mod 2] = result }
//           barrier
//
// Invariant: the launch has no more rounds than leave a group points of its own (runtime/device/launch_rounds.h).
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// `body`: what is done at one point in the round low0. `kernel` has TimeSteps.
NodePtr forEachStep(const kernel::Scheduled &kernel, const NodePtr &body);

} // namespace pbc::loop
