// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a body's text calls transforms, spawns, syncs and returns: the places that the emitter rewrites.
//
//   "spawn F(a, b); G(a); sync;"   =>   Spawn [0, 13) F, Call [15, 19) G, Sync [21, 25)
//
// A transform called anywhere but as a statement of the body is an error, reported here.
#pragma once
#include "compiler/body/lift.h"
#include "compiler/source/diagnostics.h"

namespace pbc::body {

/// Fills edits and callees.
void findEdits(const RuleContext &, Facts &, source::Diagnostics &);

/// Whether some output is read, or compound-assigned, before it is surely written: from the Nodes if the body
/// was lifted, else any read counts.
bool readsOutputs(const RuleContext &, const Facts &);

} // namespace pbc::body
