// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Independent rules that go over the same rows of a matrix share the loop over these rows, so that it comes through the caches once.
//
//   Sum.cell(y) from(A.row(y) a),  Most.cell(y) from(A.row(y) a)      => for y: Sum[y], Most[y]
//   Sum.cell(y) from(A.row(y) a),  Most.cell(x) from(A.column(x) a)   => two loops
//
// They have the same points, and each row is read at one point. A few rows lie in the first cache, so the second rule finds them there.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Whether these are such rules. Their dependences are not looked at: there must be none.
bool readSameRows(const sema::Transform &, const std::vector<body::Facts> &, const choice::Grid &,
                  const RuleUse &, const RuleUse &);

} // namespace pbc::schedule
