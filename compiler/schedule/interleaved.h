// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules that write one matrix in turns, cell by cell, share their loops: each cache line is written once, and vectors are stored whole.
//
//   B.cell(2*i) from(A.cell(2*i) a, A.cell(2*i+1) b),  B.cell(2*i+1) from(A.cell(2*i) a, A.cell(2*i+1) b)
//   => for i: B[2*i], B[2*i+1]
//
// They have the same points, none of which waits for another one, and a point's cells lie beside each other along the rows.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Whether these are such rules. Their dependences are not looked at: there must be none.
bool areInterleaved(const sema::Transform &, const std::vector<body::Facts> &, const choice::Grid &,
                    const RuleUse &, const RuleUse &);

/// The points of two rules that would be such rules if one of them had not some points more, at one place along a loop: those that both have,
/// and those of the first one, or of the second one, that it has alone. Nothing if they are no such rules, or have the same points.
struct SharedPoints {
  isl::set first, second; // with the same coordinates
  isl::set alone;
  bool isOfFirst;
};
std::optional<SharedPoints> almostInterleaved(const sema::Transform &, const std::vector<body::Facts> &,
                                              const choice::Grid &, const RuleUse &, const RuleUse &);

/// For each point what the uses compute, in this order.
isl::schedule interleavedOrder(const std::vector<RuleUse> &);

} // namespace pbc::schedule
