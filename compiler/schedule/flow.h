// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which points of the rules of a plan come before which, because of the cells that they write and read.
//
//   B[i] from A[i];  C[i] from B[i], B[i + 1]      flow from B to C: { B[i] -> C[i] } and { B[i + 1] -> C[i] }
//   A[i] from old A[i];  N from old A              readBeforeUpdates: { N -> A[i] }, so that nothing need be copied for N
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// By two uses: { point of the first one -> point of the second one that comes after it }.
using Flow = std::vector<std::vector<isl::map>>;

/// { point that writes a cell -> point that reads it } from use `a` to use `b`.
isl::map flow(const sema::Transform &, const choice::Grid &, const RuleUse &a, const RuleUse &b);

/// { point of `a` -> point of `b` that writes the same cell again }
isl::map overwriting(const sema::Transform &, const choice::Grid &, const RuleUse &a, const RuleUse &b);

/// { point -> later point that updates the same cell }: outputs that lack some of the rule's variables are
/// updated by its points in turn, the first variable slowest.
isl::map updates(const choice::Application &, const isl::set &domain);

/// Rules that read a matrix that is updated, and compute other ones, come before those that change it, where no result asks for another
/// order: its values before the call need not be copied for them.
void readBeforeUpdates(const sema::Transform &, const choice::Grid &, const std::vector<RuleUse> &, Flow &);

} // namespace pbc::schedule
