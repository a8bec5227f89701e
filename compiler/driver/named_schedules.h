// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Named schedules: other ways to run the loops of a rule, among which configurations choose by size.
//
//   transform Blur ... { rule Rows ...  schedule wide for Rows { (yt, xt, yi, xi) = tile(y, x; 32, 256); vector(xi); } }
//   => the kernels of the step Rows, once more by these steps: emit::Version "cpu:wide", a choice of place_Rows
//
//   ... { structure A is lower_triangular;  rule Cells ... A ...  schedule gemm for Cells { ... } }
//   => the schedule mixed with the adaptor Triangular(A) in all ways: "cpu:gemm", "cpu:gemm+Triangular(A).2", ...
//
// Schedules stand in the program, and in files (schedule_files.h). What a program or --schedule says must apply to some kernel of its
// rules (schedule_checks.h); a schedule of a library is left out where it does not, with a note for `pbc explain`.
#pragma once
#include "compiler/compose/alternatives.h"
#include "compiler/emit/emit.h"
#include "compiler/kernel/report.h"

namespace pbc::driver {

/// What became of a schedule at one step of a plan, or of one way to compose it.
struct ScheduleAttempt {
  std::string name;       // "wide", "gemm+Triangular(A).2"
  std::string provenance; // "gemm + Triangular(A) rule 2"; "" if it was not composed
  std::shared_ptr<const kernel::Scheduled> kernel = nullptr; // null: it does not apply
  kernel::StepProblem problem = {};     // why not; of rules without loops: the line that prevents them
  std::optional<std::size_t> step = {}; // of the schedule, that does not apply
  bool hasLoops = true;                 // false: there is nothing that a schedule could change
  script::Script steps = {};            // of one that was composed: those that apply
  std::vector<compose::LeftOut> leftOut = {};
  std::vector<script::Condition> guards = {}; // that must hold in a call in which it runs
  std::string sameAs = {};                    // the name of another one with the same loops
  bool isOwn = false;                         // they are the loops that the rule has anyway
};

/// By the transform's schedules; none for those that are for other rules.
using ScheduleAttempts = std::vector<std::vector<ScheduleAttempt>>;

/// `lifted`, and `own`, the kernel by the compiler's own schedule: null if the step calls transforms. `whyWhole`: as in kernel::LiftOutcome.
ScheduleAttempts attemptSchedules(const sema::Transform &, const schedule::Step &,
                                  const std::vector<body::Facts> &, const kernel::Scheduled *lifted,
                                  const kernel::Scheduled *own, const std::string &whyWhole,
                                  const std::vector<script::Adaptor> &);

/// The names of the schedule's alternatives, in their order, given its attempts at all steps of the transform.
std::vector<std::string> namesOf(const std::vector<const std::vector<ScheduleAttempt> *> &);

/// The choices of a step beside its own kernel, by the names for each schedule of its transform, and notes for those that there are not.
std::vector<emit::Version> versionsOf(const sema::Transform &, const ScheduleAttempts &,
                                      const std::vector<std::vector<std::string>> &names, kernel::Report &);

/// The families of the step's rules, as sema::Schedule has them.
std::vector<std::string> rulesOf(const sema::Transform &, const schedule::Step &);

} // namespace pbc::driver
