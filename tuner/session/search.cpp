// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/search.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/predicted_choices.h"
#include "tuner/journal/read_journal.h"
#include "tuner/report/words.h"
#include "tuner/session/bin_evaluators.h"
#include "tuner/session/program_bounds.h"
#include "tuner/session_start.h"
#include "tuner/strategy/refresh.h"
#include "tuner/strategy/seeding.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace pbc::tuner {
namespace {

constexpr std::size_t kMostPredicted = 2; // configurations

/// Whether a user's run on these inputs has the full size: workers may read only a part of input files.
bool runsAsWhole(const TuneOptions &options, const StartingPoint &start) {
  return options.inputs.empty() || (options.n == 0 && start.sizes.empty());
}

/// "quick (evolutionary), 50 s, seed 1"
std::string effortInWords(const TuneOptions &options, const std::string &strategy, double budget) {
  return fmt::format("{}{}, {:.0f} s, seed {}", options.effort, strategy.empty() ? "" : " (" + strategy + ")",
                     budget, options.seed);
}

/// Measured at the full size, which the worker was prepared for last.
MachineNoise noiseNow(PreparedBin &bin, int threads) {
  constexpr double kShare = 0.05; // of the budget
  const Step &full = bin.steps.back();
  if (!bin.worker.isPreparedFor(full.sizes) && !bin.worker.prepare(full.sizes, TimeBudget::kPatience))
    return {};
  const ProgramSpace &space = bin.focus.space;
  const TimeBudget &time = bin.focus.time;
  return measureNoise(bin.worker, toToml(space, Configuration::defaults(space), {threads, {}}),
                      full.defaultSeconds, time.isLimited ? kShare * time.seconds : TimeBudget::kPatience);
}

TuneSettings settingsFor(const SessionContext &context, const Aims &aims, const PreparedBin &bin) {
  const TuneOptions &options = context.options;
  const ProgramSpace &space = bin.focus.space;
  const TimeBudget &time = bin.focus.time;
  const Step &full = bin.steps.back();
  TuneSettings settings;
  // The evaluator's clock has just started, but the user's budget started with the command.
  const double spent = std::min(steadySeconds() - time.begin, 0.5 * time.seconds);
  constexpr double kSearch =
      0.9; // the last race seldom ends to the second, and its winner is examined after it
  settings.deadline = (space.goal ? 0.6 : kSearch) * (time.seconds - spent);
  settings.seed = static_cast<std::uint64_t>(options.seed);
  settings.ties = aims.objective.isTime() || options.refresh ? Ties::Default : Ties::Previous;
  settings.trials = options.trials;
  settings.strategy = strategyFor(options, time.seconds, full.defaultSeconds);
  if (options.effort == "full")
    settings.population = 20;
  if (!options.refresh)
    settings.seeds = storedSeeds(space, readJournal(bin.journal.path()),
                                 {machineName(), nameOf(full.sizes) + conditionsKey(options, space)}, 4);
  return settings;
}

void searchFront(const SessionContext &context, const Aims &aims, const StartingPoint &start,
                 PreparedBin &bin, const TuneSettings &settings, BinEvaluators &evaluators,
                 const Effort &effort, SessionResults &results) {
  const ProgramSpace &space = bin.focus.space;
  FrontReport report;
  report.program = context.options.program;
  report.machine = machineName();
  report.effort = effortInWords(context.options, "", effort.budget);
  report.metrics = *aims.front;
  report.result =
      findFront(space, evaluators.sizes, *aims.front, settings, evaluators.costs, context.progress);
  report.size = evaluators.sizes[static_cast<std::size_t>(report.result.size)].name;
  report.elapsed = evaluators.runs.elapsed();
  report.runs = evaluators.runs.runs();
  report.remembered = evaluators.runs.remembered();
  report.stopped = isInterrupted();
  results.writeFront(space, report, evaluators.tunedSizes(report.result.size), !start.earlier.empty(),
                     effort);
}

/// The configurations that the search compares with the initial one.
std::vector<Configuration> rivalsOf(const TuneOptions &options, const ProgramSpace &space,
                                    const StartingPoint &start) {
  if (options.refresh)
    return {openByDefault(space, start.byDefault)};
  return space.goal ? std::vector<Configuration>{} : start.earlier;
}

/// With --refresh on another machine, stored decisions are adapted first. Decisions that are new in this version were
/// never tuned anywhere, so they are tuned after that.
TuneResult searchBest(const SessionContext &context, const StartingPoint &start, ProgramSpace &space,
                      const std::vector<TestSize> &sizes, const std::vector<Configuration> &rivals,
                      TuneSettings settings, Evaluator &evaluator) {
  const bool isNear = context.options.refresh && start.plan.isOtherMachine;
  const bool isInTwoParts = isNear && !start.plan.touched.empty();
  TuneSettings first = settings;
  if (isInTwoParts) {
    first.deadline /= 2;
    settings.trials = (settings.trials + 1) / 2; // 0: no limit
    first.trials = settings.trials;
  }
  TuneResult result = (isNear ? refresh : tune)(space, sizes, rivals, first, evaluator, context.progress);
  if (!isInTwoParts || evaluator.stopped())
    return result;
  startFrom(space, result.best);
  start.plan.fixOthers(space);
  return tune(space, sizes, rivals, settings, evaluator, context.progress);
}

/// All that the summary says apart from accuracy and from what is written; `summary` has the result.
void describe(Summary &summary, const SessionContext &context, const Aims &aims, const PreparedBin &bin,
              BinEvaluators &evaluators) {
  const WorkerEvaluator &runs = evaluators.runs;
  const int size = summary.result.size;
  summary.objective = aims.objective;
  if (!aims.objective.isTime()) {
    summary.byDefault = evaluators.costs.typical(Configuration::defaults(bin.focus.space), size);
    summary.tuned = evaluators.costs.typical(summary.result.best, size);
  }
  summary.program = context.options.program;
  summary.output = context.output;
  summary.journal = bin.journal.path();
  summary.machine = machineName();
  summary.sizes = evaluators.sizes[static_cast<std::size_t>(size)].name;
  summary.fullSizes = nameOf(bin.full);
  summary.tunedSizes = evaluators.tunedSizes(size);
  summary.effort = effortInWords(context.options, summary.result.strategy, bin.focus.time.seconds);
  summary.elapsed = runs.elapsed();
  summary.runs = runs.runs();
  summary.remembered = runs.remembered();
  summary.stopped = isInterrupted();
  summary.isCut = runs.stopped() && !summary.stopped;
  summary.examined = evaluators.examination.inputs();
}

} // namespace

std::optional<Configuration> searchBin(const SessionContext &context, const Aims &aims,
                                       const StartingPoint &start, PreparedBin &bin,
                                       SessionResults &results) {
  const TuneOptions &options = context.options;
  ProgramSpace &space = bin.focus.space;
  decideThreadsAt(space, bin.steps.back().n);
  BinEvaluators evaluators(context, aims, runsAsWhole(options, start), bin);
  Summary summary;
  summary.isRefresh = options.refresh && !start.startsAnew; // otherwise compared with the default
  summary.noise = noiseNow(bin, options.threads);
  context.progress.note("noise: " +
                        inWords(summary.noise, summary.isRefresh ? "stored configuration" : "default"));
  if (!space.goal && !summary.isRefresh && !summary.noise.disagreement.empty())
    throw TunerError(fmt::format(
        "{}: the default, run again on the same inputs, {}\n"
        "  help: alternatives are compared with the default, which must give the same each time:\n"
        "        take random numbers from the language (rand01), which are the same in each run,\n"
        "        or say how exact results must be (accuracy_metric)",
        options.program, summary.noise.disagreement));
  const std::unique_ptr<LowerBounds> bounds = programBounds(context, bin);
  evaluators.runs.setBounds(bounds.get());
  TuneSettings settings = settingsFor(context, aims, bin);
  if (bounds && options.guide && !options.refresh)
    settings.predicted = predictedChoices(space, bounds->at(static_cast<int>(bin.steps.size()) - 1),
                                          bin.steps.back().n, kMostPredicted);
  const Effort effort{summary.isRefresh ? "refresh" : options.effort, bin.focus.time.seconds, options.seed};
  context.progress.setIsTime(!aims.front && aims.objective.isTime());
  if (aims.front) {
    searchFront(context, aims, start, bin, settings, evaluators, effort, results);
    return {};
  }

  const std::vector<Configuration> rivals = rivalsOf(options, space, start);
  summary.result =
      searchBest(context, start, space, evaluators.sizes, rivals, settings, evaluators.of(aims.objective));
  const WorkerEvaluator &runs = evaluators.runs;
  if (runs.stopped() && runs.runs() == 0 && runs.remembered() == 0)
    return {}; // there is nothing to say
  describe(summary, context, aims, bin, evaluators);
  if (bounds)
    summary.bounds = {runs.leftOutCount(), bounds->of(summary.result.best, summary.result.size),
                      bounds->hopeless(), bounds->refutations()};
  if (!runs.notes().problem().empty())
    context.progress.note(runs.notes().problem());
  if (summary.result.changed && !evaluators.outside.remark().empty())
    context.progress.note(
        fmt::format("the result was not run once more from outside: {}", evaluators.outside.remark()));
  if (bin.target)
    bin.target->verify(summary, bin.steps, aims.metrics());
  results.write(space, summary, rivals.empty() ? nullptr : &rivals.front(), effort);
  return summary.kept ? std::nullopt : std::optional(summary.result.best);
}

} // namespace pbc::tuner
