// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session.h"

#include "tuner/evaluate/confinement.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/steps.h"
#include "tuner/journal/journal.h"
#include "tuner/journal/tuning_lock.h"
#include "tuner/session/mended_start.h"
#include "tuner/session/record_space.h"
#include "tuner/session/search.h"
#include "tuner/session_start.h"
#include "tuner/write_file.h"

#include <fmt/format.h>

namespace pbc::tuner {
namespace {

/// What lasts until the results are printed.
struct SessionGuards {
  std::optional<TuningLock> lock;
  std::optional<TimeLimit> limit; // of the bin that is tuned
};

/// Tunes one accuracy bin after the other. False if there is no result to print.
bool tuneProgram(const SessionContext &context, SessionGuards &guards, SessionResults &results) {
  const TuneOptions &options = context.options;
  const ProgramSpace space = describeProgram(context.program, options.program, "", options.threads);
  if (!canConfineSignals())
    context.progress.note(
        "this system cannot filter system calls (seccomp): a rule that sends signals to its parent can end "
        "the tuning");
  Aims aims = chosenAims(options, space, context.output);
  StartingPoint start = options.refresh ? startOfRefresh(context, space) : startOfTuning(context, space);
  if (options.refresh && start.plan.isNothing()) {
    results.printUpToDate();
    return false;
  }
  if (start.objective)
    aims.objective = *start.objective;
  results.setKernels(start.kernels);
  results.setHasBins(space.bins.size() > 1);
  const std::string journal = journalPath(context.output);
  const auto tune = [&](std::size_t bin) {
    Focus focus = focusOn(context, space.bins, bin, start);
    guards.limit.reset();
    if (focus.time.isLimited)
      guards.limit.emplace(focus.time.stopAt());
    // Done before anything is measured: the journal lies beside the result, so this shows whether files may be
    // written there.
    if (!guards.lock)
      guards.lock.emplace(context.output, journal);
    const auto prepared = prepareBin(context, start, std::move(focus), journal);
    if (!options.record.empty()) {
      recordSpace(context, *prepared);
      return;
    }
    if (options.refresh && !prepared->focus.space.goal)
      mendStart(context, *prepared, start);
    if (const auto best = searchBin(context, aims, start, *prepared, results))
      start.configuration = *best;
  };
  for (std::size_t bin = 0; bin < space.bins.size() && !isInterrupted(); ++bin) {
    try {
      tune(bin);
    } catch (const TunerError &) {
      // Each bin has its own share of the time: the others go on.
      if (!stopRequested() || isInterrupted() || space.bins.size() < 2)
        throw;
      context.progress.note(
          fmt::format("the time of {} was over before anything could be compared; it stays as it is\n"
                      "  help: a longer time, --budget=SECONDS, or a smaller size, --n=N",
                      space.bins[bin]));
    }
    if (!options.record.empty())
      return false;
  }
  return true;
}

/// Says on the error output that the program is not the one that was tuned, if it is so.
void noteChangedProgram(const SessionContext &context) {
  if (const std::string now = versionOf(context.program); now != context.version)
    context.progress.note(fmt::format("{} {} meanwhile: this is of what it was; tune it again{}",
                                      context.options.program, now.empty() ? "was deleted" : "was changed",
                                      now.empty() ? " when it is there" : ""));
}

} // namespace

int runSession(const TuneOptions &options) {
  Progress progress(stderr);
  const SessionContext context = contextOf(options, progress);
  SessionResults results(context);
  SessionGuards guards;
  const InterruptGuard interrupts;
  try {
    if (!tuneProgram(context, guards, results))
      return 0;
  } catch (const TunerError &) {
    if (!stopRequested()) {
      results.print(); // the bins that have been written
      throw;
    }
  }
  const bool wasStopped = isInterrupted();
  if (results.isEmpty() && !wasStopped)
    throw TunerError(fmt::format(
        "the budget of {:.3g} s was over before anything could be compared; no configuration was written\n"
        "  help: a longer time, --budget=SECONDS, or a smaller size, --n=N: the default alone has to run a "
        "few "
        "times",
        budgetOf(options)));
  if (results.isEmpty())
    fmt::print(stderr, "pbc tune: stopped before the first measurement; no configuration was written\n");
  results.print();
  noteChangedProgram(context);
  return results.hasWritten() || !wasStopped ? 0 : stopStatus();
}

} // namespace pbc::tuner
