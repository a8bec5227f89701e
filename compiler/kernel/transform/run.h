// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a script on a kernel.
//
//   run({tile(y, x; 32, 256), vector(x)}, scheduled, Mode::Strict)
//   => the new schedule, or step 1 and "a point needs the one before it along x"
//
// In strict mode the first step that does not apply ends the run. In lenient mode such a step is left out with its sentence,
// and the others go on: what the OA framework calls the degeneration of a script. A step whose questions take isl too long
// does not apply, so that no script makes the compiler hang.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

enum class Mode { Strict, Lenient };

struct FailedStep {
  std::size_t index = 0; // into the script
  StepProblem problem;
};

struct ScriptOutcome {
  Scheduled kernel;       // after the steps that applied
  script::Script applied; // these steps
  std::vector<FailedStep> failed;
};

/// How many operations of isl a step may take. Steps on kernels of programs take some hundred thousands.
inline constexpr unsigned long kStepBudget = 20'000'000;

/// The kernel gets labels first if it has none. `after` sees the kernel after each step that applied.
ScriptOutcome run(const script::Script &, const Scheduled &, Mode,
                  const std::function<void(const script::Step &, const Scheduled &)> &after = nullptr);

struct StepOutcome {
  std::optional<Scheduled> kernel;
  StepProblem problem;
};

/// One step. If it exceeds the budget, it does not apply; other errors of isl are faults of the transformation and pass
/// through as isl::exception.
StepOutcome run(const script::Step &, const Scheduled &, unsigned long budget = kStepBudget);

/// The same kernel, whose loops have labels.
Scheduled withLabels(const Scheduled &);

} // namespace pbc::kernel
