// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is certain of the order in which the points of a step run, however its parallel loops are shared out.
//
//   for k in order, y parallel, x parallel: S[x, y, k]      => { S[x, y, k] -> [k, y, -y, x, -x] }
//   for t in order: first E[x, t] for all x, then H[x, t]   => { E[x, t] -> [t, 0]; H[x, t] -> [t, 1] }
//
// What a parallel loop's iterations share has no order, so that both its variable and the negative of that are coordinates: only points of
// one iteration never go back in either.
//
// Invariant: a point has ended before another one begins if its place is lexicographically smaller, and no coordinate in front of the first one that
// differs goes back.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// The places of all points, in one space.
isl::union_map placesInOrder(const isl::schedule &);

/// Whether all pairs { point -> point } end at a later place than they begin. All points have places, in one space.
bool allEndLater(const isl::union_map &pairs, const isl::union_map &places);

} // namespace pbc::schedule
