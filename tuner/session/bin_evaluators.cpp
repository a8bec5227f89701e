// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/session/bin_evaluators.h"

#include "tuner/evaluate/meters.h"
#include "tuner/report/words.h"
#include "tuner/session_start.h"

#include <fmt/format.h>

namespace pbc::tuner {
namespace {

Meters metersFor(const SessionContext &context, const Aims &aims, PreparedBin &bin) {
  const ProgramSpace &space = bin.focus.space;
  const std::string defaults = toToml(space, Configuration::defaults(space), {context.options.threads, {}});
  Meters meters = requireMeters(bin.worker, aims.metrics(), defaults);
  if (!meters.energy.empty())
    context.progress.note(fmt::format("energy is that of {}: of all that runs on this machine",
                                      fmt::join(meters.energy, ", ")));
  return meters;
}

WorkerEvaluatorSettings runSettings(const TuneOptions &options, const Aims &aims, const ProgramSpace &space,
                                    double energyWindow) {
  return {machineName(),         conditionsKey(options, space),
          TimeBudget::kPatience, !options.fresh,
          options.threads,       aims.metrics(),
          energyWindow,          options.inputs.empty() && !space.goal};
}

} // namespace

BinEvaluators::BinEvaluators(const SessionContext &context, const Aims &aims, bool isAsWhole,
                             PreparedBin &bin)
    : sizes(testSizes(bin.steps)), meters(metersFor(context, aims, bin)),
      runs(bin.focus.space, bin.steps, bin.worker, &bin.journal,
           runSettings(context.options, aims, bin.focus.space, meters.energyWindow)),
      costs(bin.focus.space, sizes, runs, costOf(aims.objective)),
      examination(Worker(context.program, bin.workerOptions), bin.focus.space, bin.steps),
      outside(context.program, bin.workerOptions, bin.focus.space) {
  if (meters.energyWindow > 0)
    costs.setMostRuns(2);
  if (!bin.focus.space.goal) // results of variable accuracy may differ; AccuracyTarget checks them
    runs.setExamination(&examination);
  if (isAsWhole)
    runs.setOutside(&outside, bin.focus.time.outsideUntil());
}

Evaluator &BinEvaluators::of(const Objective &objective) {
  return objective.isTime() ? static_cast<Evaluator &>(runs) : costs;
}

std::vector<std::string> BinEvaluators::tunedSizes(int last) const {
  std::vector<std::string> names;
  for (const int size : runs.measuredSizes())
    if (size <= last)
      names.push_back(sizes[static_cast<std::size_t>(size)].name);
  return names;
}

std::vector<TestSize> testSizes(const std::vector<Step> &steps) {
  std::vector<TestSize> sizes;
  for (const Step &step : steps)
    sizes.push_back({nameOf(step.sizes), step.n, step.defaultSeconds});
  return sizes;
}

} // namespace pbc::tuner
