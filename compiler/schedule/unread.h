// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Leaves out versions of temporaries that no rule reads.
//
//   U<2*t+1>.cell(i) from(V<t>.cell(i) c) { return c; }     others read U<2*t>, and B.cell(i) from(U<steps>.cell(i) c)
//   =>  { R3[i, t] : 2t + 1 = steps }                       it runs for the last version, if that is odd
//
// Only rules are changed of which one version is left, or none: fewer points of the others would be loops with more cases.
//
// Invariant: every cell that some rule reads is still computed.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Restricts the domains of such uses, if their bodies are understood: others may do more than write cells.
void leaveOutUnread(const sema::Transform &, const std::vector<body::Facts> &, const choice::Grid &,
                    std::vector<RuleUse> &);

} // namespace pbc::schedule
