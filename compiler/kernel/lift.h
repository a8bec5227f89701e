// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes a Kernel from rule bodies: every assignment of a liftable body becomes a statement, every counted
// loop a dimension and a band, every scalar of the body a Local buffer; the plan's order of rule points is
// outside of these.
//
//   B.cell(i) from(A.region(i-1, i+2) a) { double s = 0; for (k in [0, 3)) s += a.cell(k); return s / 3; }
//   => R0_S0[i]: s[i] = 0;  R0_S1[i,k]: s[i] += A[i-1+k];  R0_S2[i]: B[i] = s[i] / 3
//      band i: alloc s: sequence { R0_S0 ; band k: R0_S1 ; R0_S2 }
//
// A body that cannot be lifted is one opaque statement over the rule's points: a call of `pb_body_<rule>`
// with its bindings. Scalars are indexed by the rule's free variables, so that two points never share one:
// this avoids false dependences between points. In printed text they are single variables again.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/schedule/plan.h"
#include <map>
#include <set>

namespace pbc::kernel {

struct LiftOutcome {
  Scheduled kernel;
  std::string whyWhole; // why bodies that could be lifted are opaque statements all the same; "": none is
};

/// The Kernel of one step whose bodies call no transforms. `factsOfRules`: by rule index. The schedule is the
/// step's order, unchanged; its loops have labels (loops.h). `privateMatrices`: those that no other step touches, and `readElsewhere`: what
/// other steps read of others (schedule/private_matrices.h). `sources`: of the statements' lines.
LiftOutcome lift(const sema::Transform &, const schedule::Step &,
                 const std::vector<body::Facts> &factsOfRules, const choice::Grid &, poly::Context &,
                 const std::set<int> &privateMatrices = {}, const std::map<int, isl::set> &readElsewhere = {},
                 const source::SourceManager *sources = nullptr);

/// The parameters to which isl texts of this transform may refer: sizes, params and integer tunables,
/// mangled.
std::vector<std::string> parameterNames(const sema::Transform &);

} // namespace pbc::kernel
