// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether the points of a step may some day be computed in tiles that go through time (kernel/time_functions.h).
//
//   for t: U<t>[i] from U<t-1>[i-1], U<t-1>[i+1]                               => yes: i + t never decreases
//   for t: Q<t>[i] from Q<t>[i-1], U<t-1>[i];  U<t>[i] from U<t>[i+1], Q<t>[i]   => no: in one turn i has to grow and to fall
//
//   for t: V<t>[i] from U<t-1>[i-1], U<t-1>[i+1];  U<t>[i] from V<t>[i-1], V<t>[i+1]   => yes: U comes after V, which counts as time
//
// A tile needs a coordinate of the cells that, in one turn of the outermost loop, never falls or never grows from a point to those that
// wait for it and that the turn does not run later anyway, in a sequence. The question is asked before versions share a slot of storage, as points that wait for a slot could no more be tiled.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Whether some coordinate is such a one. True, too, if the step has no outermost loop in order, so that there are no turns.
bool mayGoThroughTime(const sema::Transform &, const choice::Grid &, const Step &);

} // namespace pbc::schedule
