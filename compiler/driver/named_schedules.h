// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Named schedules: other ways to run the loops of a rule, among which configurations choose by size.
//
//   transform Blur ... { rule Rows ...  schedule wide for Rows { (yt, xt, yi, xi) = tile(y, x; 32, 256); vector(xi); } }
//   => the kernels of the step Rows, once more by these steps: emit::Version "cpu:wide", a choice of place_Rows
//
//   ... { structure A is lower_triangular;  rule Cells ... A ...  schedule gemm for Cells { ... } }
//   => the schedule mixed with the adaptor Triangular(A) in all ways: "cpu:gemm", "cpu:gemm+Triangular(A).2", ...
//
//   schedule strips for Cells on gpu { items(; each = block); (kt, k) = tile(k; 8); stage(A, at = kt); ... }
//   => in the same ways "gpu:strips", "gpu:strips+Triangular(A).2", ..: versions of the step's kernel for devices (kernel::OnDevice)
//
// Schedules stand in the program, and in files (schedule_files.h). What a program or --schedule says must apply to some kernel of its
// rules (schedule_checks.h); a schedule of a library is left out where it does not, with a note for `pbc explain`, and is not tried for devices
// if nothing is made for these.
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
  std::string isOwn = {};                     // "cpu", "gpu_blocks": the rule has these loops anyway
};

/// By the transform's schedules; none for those that are for other rules.
using ScheduleAttempts = std::vector<std::vector<ScheduleAttempt>>;

/// A step's loops before and after the compiler's own schedules.
struct StepKernels {
  const kernel::Scheduled *lifted = nullptr, *own = nullptr; // null if the step calls transforms
  const kernel::OnDevice *device = nullptr;                  // null: nothing is made for devices
  std::string whyWhole = {};                                 // as in kernel::LiftOutcome
};
ScheduleAttempts attemptSchedules(const sema::Transform &, const schedule::Step &,
                                  const std::vector<body::Facts> &, const StepKernels &,
                                  const std::vector<script::Adaptor> &);

/// The names of the schedule's alternatives, in their order, given its attempts at all steps of the transform.
std::vector<std::string> namesOf(const std::vector<const std::vector<ScheduleAttempt> *> &);

/// The choices of a step beside the compiler's own, by the names for each schedule of its transform, and notes for those that there are not.
struct StepVersions {
  std::vector<emit::Version> onProcessor;
  std::vector<kernel::DeviceVersion> onDevices;
};
StepVersions versionsOf(const sema::Transform &, const ScheduleAttempts &,
                        const std::vector<std::vector<std::string>> &names, kernel::Report &);

/// The families of the step's rules, as sema::Schedule has them.
std::vector<std::string> rulesOf(const sema::Transform &, const schedule::Step &);

} // namespace pbc::driver
