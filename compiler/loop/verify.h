// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What holds in every loop tree, as a check that names the first thing that is wrong.
//
//   B[c1] = A[c0]     "c1 is used where no loop and no Let declares it"
//
// 1. Variables and scalars are declared by a loop, a Let or an Array around their use, and once there.
// 2. Barriers are reached by all items of a group: they stand in no condition and no loop that differs between items.
//    Shuffles are reached by all items of a warp: also where a vote of the warp was 1, whatever stands around it.
// 3. After lowering, no loop has a realisation, and each loop has a condition: what runs in parallel is Parallel, and
//    all other loops are sequential.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

enum class Stage { Built, Lowered };

/// What is wrong, in one sentence without a full stop; nothing if all is right.
std::optional<std::string> problem(const NodePtr &, Stage);
/// Throws std::logic_error if something is wrong.
void verify(const NodePtr &, Stage);

} // namespace pbc::loop
