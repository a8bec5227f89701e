// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/mended_start.h"

#include "tuner/evaluate/examination.h"
#include "tuner/evaluate/interrupt.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::tuner {

void mendStart(const SessionContext &context, PreparedBin &bin, StartingPoint &start) {
  constexpr double kShare = 0.2, kLeast = 3; // of the budget, and seconds
  ProgramSpace &space = bin.focus.space;
  Examination examination(Worker(context.program, bin.workerOptions), space, bin.steps);
  const double deadline = steadySeconds() + std::max(kShare * bin.focus.time.seconds, kLeast);
  const auto misfitOf = [&](const Configuration &configuration) {
    return examination.examine({configuration}, Depth::Thorough, [&] { return deadline - steadySeconds(); })
        .front();
  };
  const auto misfit = misfitOf(Configuration::defaults(space));
  if (!misfit || stopRequested())
    return;
  context.progress.note(fmt::format("the stored configuration {} at {}: this starts from the default instead",
                                    misfit->rejected.reason, misfit->size));
  start.startsAnew = true;
  if (const Configuration open = openByDefault(space, start.byDefault); !misfitOf(open))
    return startFrom(space, open);
  const double begin = bin.focus.time.begin;
  start.plan.touchAll(space);
  start.configuration = start.byDefault;
  bin.focus = focusOn(context, {space.main}, 0, start);
  bin.focus.time.begin = begin;
}

} // namespace pbc::tuner
