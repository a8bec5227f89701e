// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether an output may be the very same memory as an input while a plan runs.
//
//   B.cell(i) from(A.cell(i) a) { return 2 * a; }                         yes: each point reads the cell that it writes, before it does
//   B.cell(i) from(A.cell(i+1) a) { return a; }                           no: the point i + 1 may have written the cell already
//   B.cell(i) from(B.cell(i-1) l, A.cell(i+1) r) { return (l + r) / 2; }  yes: the point i + 1 waits for the point i
//
// Both belong together where a transform updates a matrix in place (sema/in_place.h), and where a caller passes one matrix twice. If the
// answer is no, the entry of the transform copies the input first (docs/decisions/0010-aliasing-by-copy.md).
//
//   A.cell(i) from(A.cell(i) a) { return 2 * a; }  N += from(old A.cell(i) a) { return a * a; }   yes: the plan computes N first
//
// The test is exact for what rules read of the input cell by cell. That a point reads before another one writes follows from the data: the
// writer needs, directly, what the reader computes. So it holds in every legal order of the points, however their loops are transformed.
#pragma once
#include "compiler/choice/grid.h"
#include "compiler/schedule/plan.h"
#include <set>

namespace pbc::schedule {

/// The steps of the alternative's plan.
struct StepsAlone {
  const Plan &plan;
  std::set<int>
      inTiles; // those that run tile by tile beside others, so that none of them is complete before another one begins
};

/// Why the alternative needs the values of `input` elsewhere than in the memory of `output`, as a clause about one rule: "the rule `Shift`
/// reads `A[i + 1]`, which another point may have overwritten". Nothing if both may be the same view.
std::optional<std::string> whyNotShared(const sema::Transform &, const std::vector<body::Facts> &,
                                        const choice::Grid &, const choice::Alternative &, const StepsAlone &,
                                        int output, int input);

} // namespace pbc::schedule
