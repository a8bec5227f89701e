// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks plans: every step's order respects its dependences, steps come after those that they read from or
// overwrite, and each cell of every output gets its value from exactly one point. Runs after planning in
// builds with verifiers.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// One sentence per violated invariant; empty when all hold.
std::vector<std::string> verify(const sema::Module &, const std::vector<choice::Choices> &,
                                const std::vector<TransformPlans> &);

} // namespace pbc::schedule
