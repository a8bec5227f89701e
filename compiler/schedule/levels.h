// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The levels of a plan's steps: each needs only steps of earlier levels, so that those of one level can run beside each other.
//
//   B from A;  C from A;  D from B, C   =>   0, 0, 1
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// By step.
std::vector<std::size_t> levelsOf(const Plan &);

} // namespace pbc::schedule
