// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/prepared_bin.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/memory.h"
#include "tuner/space/toml.h"

#include <fmt/format.h>

namespace pbc::tuner {
namespace {

WorkerOptions workerOptionsOf(const SessionContext &context, const ProgramSpace &space) {
  const TuneOptions &options = context.options;
  return {context.version,
          options.inputs,
          options.seed,
          options.threads,
          {options.memoryMegabytes > 0 ? options.memoryMegabytes << 20 : memoryShare()},
          options.compileLimit > 0 ? options.compileLimit : kLongestCompilation,
          space.goal ? space.main : ""};
}

/// Whether the budget has time for only few runs of the default at the full size. Then that is the only size,
/// and the default runs there first, because growing from small sizes takes about as long.
bool takesMost(PreparedBin &bin) {
  constexpr double kFewRuns = 15;
  const TimeBudget &time = bin.focus.time;
  const auto first = bin.worker.prepare(bin.full, time.patience());
  if (!first || kFewRuns * first.value->seconds < time.left())
    return false; // the next step reports the failure
  bin.steps = {{bin.full, first.value->n, first.value->seconds}};
  return true;
}

/// The sizes at which tuning continues; the search starts from a configuration that meets the target there.
std::vector<Sizes> meetTarget(PreparedBin &bin, const std::vector<Sizes> &sizes,
                              const SessionContext &context) {
  const double deadline = steadySeconds() + 0.4 * bin.focus.time.seconds;
  bin.target.emplace(bin.worker, bin.workerOptions, context.program, bin.focus.space, TimeBudget::kPatience);
  std::vector<Sizes> met = bin.target->reach(
      sizes, [&] { return !stopRequested() && steadySeconds() < deadline; },
      [&](const std::string &line) { context.progress.note(line); });
  startFrom(bin.focus.space, bin.target->reached());
  return met;
}

} // namespace

PreparedBin::PreparedBin(const SessionContext &context, Focus chosen, const std::string &journalFile)
    : focus(std::move(chosen)), journal(journalFile), workerOptions(workerOptionsOf(context, focus.space)),
      worker(context.program, workerOptions) {}

std::unique_ptr<PreparedBin> prepareBin(const SessionContext &context, const StartingPoint &start,
                                        Focus focus, const std::string &journal) {
  const TuneOptions &options = context.options;
  auto bin = std::make_unique<PreparedBin>(context, std::move(focus), journal);
  const ProgramSpace &space = bin->focus.space;
  const TimeBudget &time = bin->focus.time;
  if (bin->focus.hasStart && !options.refresh)
    bin->worker.setBase(toToml(space, Configuration::defaults(space), {}));
  bin->full =
      fullSizes(bin->worker, space, {options.n, start.sizes, !options.inputs.empty(), time.longestRun()},
                time.patience());
  context.progress.note(fmt::format("tuning {} ({} open decisions) up to {}",
                                    space.goal ? space.main : space.program, space.openDecisions(),
                                    nameOf(bin->full)));
  std::vector<Sizes> sizes = growingSizes(bin->full, space.params);
  if (!space.goal && time.isLimited && takesMost(*bin))
    return bin;
  if (space.goal)
    sizes = meetTarget(*bin, sizes, context);
  const auto note = [&](const std::string &line) { context.progress.note(line); };
  PreparedSteps prepared = prepareSteps(bin->worker, sizes, time.patience(), note);
  bin->steps = std::move(prepared.steps);
  if (bin->target)
    bin->target->verifyAlso(std::move(prepared.tooQuick), sizes.front());
  return bin;
}

} // namespace pbc::tuner
