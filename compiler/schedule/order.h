// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The order of the points of a step: which loops, in which nesting and direction.
//
//   B.cell(i) from(B.cell(i+1) r, A.cell(i) a)   deltas { -1 }: loop i backward
//   X.cell(c, r) from(X.row(r-1) p)              deltas { (any, 1) }: loop r outside, c inside and parallel
//
// The first nesting that respects every dependence is taken, beginning with the one that is best for memory
// (last dimension outside, x inside), with each loop forward or backward. If its innermost loop walks against the order in memory, and versions
// of one cell can be innermost that do not, these are:
//
//   S<k>.cell(i) from(S<k-1>.cell(i) s, A.cell(k-1, i) a)   loop i outside, k inside: rows of A, and one cell of S for each
//
// If there is none, and for groups of
// rules, isl's scheduler decides. Bands carry `coincident` (no dependence is carried by this loop) and
// `permutable`.
#pragma once
#include "compiler/schedule/walk.h"

namespace pbc::schedule {

/// A legal order of the points, or nothing if there is none (then the points form a cycle). `dependences`: {
/// point -> point that needs it }, within the uses' domains; sizes in `context`.
/// `cells`: by access; they decide between legal orders.
std::optional<isl::schedule> orderOf(const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                     const isl::set &context, const std::vector<Cells> &cells = {});

} // namespace pbc::schedule
