// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The places of a body's text that the emitter rewrites: calls of transforms, spawns, syncs and returns.
//
//   "spawn F(a, b); G(a); sync;"   =>   Spawn [0, 13) F, Call [15, 19) G, Sync [21, 25)
//
// A transform that is called in any other way than as a statement of the body is an error, which is reported
// here.
#pragma once
#include "compiler/body/lift.h"
#include "compiler/source/diagnostics.h"

namespace pbc::body {

/// Fills edits and callees.
void findEdits(const RuleContext &, Facts &, source::Diagnostics &);

/// Whether some output is read, or compound-assigned, before it is certainly written. If the body was lifted,
/// its Nodes decide; otherwise any read counts.
bool readsOutputs(const RuleContext &, const Facts &);

} // namespace pbc::body
