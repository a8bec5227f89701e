// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The `through` matrices that only one step touches, whatever plan is chosen. What they contain after the step does not matter, so that
// its kernel may keep their cells elsewhere (kernel/transform/contract.h).
//
//   transform Pair from A[n] through T[n] to C[n]    T.cell(i) from C.cell(i-1), A.cell(i);  C.cell(i) from T.cell(i)
//   step 0   both rules, in turn     =>     T
// Of others it says what those steps read, which of all that this step has written must be right when it ends:
//
//   through T<0..n>[w], C from T<n>     step 0: T<t> from T<t-1>     =>     { T[x, n mod 2] }, where T has two slots
#pragma once
#include "compiler/schedule/plan.h"
#include <map>
#include <set>

namespace pbc::schedule {

/// Indices of matrices. `plans`: all plans of the transform; steps like `step` in other plans are the same one.
std::set<int> privateMatrices(const sema::Transform &, const TransformPlans &plans, const Step &step);

/// By index of a `through` matrix that the step touches: its cells that other steps read, in any plan that has this step.
std::map<int, isl::set> readElsewhere(const sema::Transform &, const choice::Grid &,
                                      const TransformPlans &plans, const Step &step);

} // namespace pbc::schedule
