// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/predict/processor_predictor.h"
#include "compiler/build/vector_width.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/emulate/processor/thread_trace.h"
#include "compiler/emulate/verdict.h"
#include "compiler/kernel/schedule_space.h"
#include "compiler/loop/lower/lower.h"
#include "compiler/loop/walk.h"
#include "compiler/poly/at_values.h"
#include "compiler/script/script.h"
#include "runtime/base/machine.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::search {
namespace {

using Sizes = ProcessorPredictor::Sizes;

/// What is used less than this is no bottleneck.
constexpr double kUsed = 0.25;

/// Of a function of the sizes.
long valueAt(const isl::pw_aff &function, const Sizes &values) {
  const isl::set at = poly::atValues(function.domain(), values);
  return function.intersect_domain(at).max_val().num_si();
}

/// The schedules of a kernel: an axis for each option, with the value in use first.
class Schedules : public emulate::GuidedSpace {
public:
  Schedules(kernel::Scheduler &scheduler, const ProcessorPredictor &predictor)
      : scheduler_(scheduler), predictor_(predictor) {
    for (const kernel::OptionSpace &option : kernel::spaceOf(scheduler, {})) {
      options_.push_back(option);
      axes_.emplace_back();
      for (std::size_t place = 0; place <= option.others.size(); ++place)
        axes_.back().push_back(static_cast<long>(place));
    }
  }

  const std::vector<std::vector<long>> &axes() const override { return axes_; }

  kernel::Asked asked(const emulate::Configuration &c) const {
    kernel::Asked made;
    for (std::size_t o = 0; o < options_.size(); ++o)
      if (c[o] > 0)
        made[options_[o].option] = options_[o].others[static_cast<std::size_t>(c[o] - 1)];
    return made;
  }

  std::optional<emulate::Predicted> at(const emulate::Configuration &c) override {
    const kernel::Planned planned = scheduler_.schedule(asked(c));
    if (!planned.report.refused.empty())
      return {};
    const auto known = known_.find(script::line(planned.report.script));
    if (known != known_.end())
      return known->second;
    std::optional<emulate::Predicted> made;
    try {
      const Prediction p = predictor_.of(planned, {.regions = false, .least = kUsed, .halves = false});
      const emulate::Verdict verdict = emulate::verdictOf(p.analysis);
      made = emulate::Predicted{p.seconds, 1, {}, {}, {}};
      if (verdict.bottleneck)
        made->bottleneck = verdict.bottleneck->parameter;
      for (const emulate::Use &use : p.analysis.outcome.uses) {
        made->requests.push_back(use.admissions);
        made->used.push_back(0);
      }
      for (std::size_t r = 0; r < made->used.size(); ++r)
        made->used[r] = predictor_.usedOf(p, static_cast<int>(r));
    } catch (const NotPredicted &) {
    }
    return known_[script::line(planned.report.script)] = made;
  }

private:
  kernel::Scheduler &scheduler_;
  const ProcessorPredictor &predictor_;
  std::vector<kernel::OptionSpace> options_;
  std::vector<std::vector<long>> axes_;
  std::map<std::string, std::optional<emulate::Predicted>> known_; // by script
};

} // namespace

emulate::ProcessorCore coreOf(const model::Machine &machine) {
  const int widest = std::max(16, pb::base::thisMachine().vectorBytes), ofLoops = build::loopVectorBytes();
  emulate::ProcessorCore core = emulate::processorCoreOf(machine, widest, ofLoops > 0 ? ofLoops : widest);
  if (const int registers = pb::base::thisMachine().vectorRegisters)
    core.vectorRegisters = registers;
  return core;
}

ProcessorPredictor::ProcessorPredictor(const kernel::Scheduled &lifted, const Sizes &values,
                                       const emulate::ProcessorCore &core)
    : values_(values), core_(core) {
  ArraysOutcome arrays = arraysOf(lifted, values);
  if (!arrays.arrays)
    throw NotPredicted(arrays.why);
  arrays_ = std::move(*arrays.arrays);
}

double ProcessorPredictor::usedOf(const Prediction &p, int resource) const {
  return p.analysis.outcome.throughput(core_.core, resource);
}

Prediction ProcessorPredictor::of(const kernel::Planned &planned,
                                  const emulate::AnalysisOptions &options) const {
  const emit::KernelNest made = emit::kernelNest(planned.kernel);
  const loop::Lowered lowered = loop::lower(made.nest, {});
  if (loop::callsBodies(lowered.body))
    throw NotPredicted("its body was not lifted, so that its instructions are not known");
  emulate::ThreadQuestion asked{made.nest.buffers, {}, lowered.body, values_};
  for (const loop::Matrix &m : made.nest.buffers) {
    const auto at = std::find_if(arrays_.all.begin(), arrays_.all.end(),
                                 [&](const search::Array &a) { return a.name == m.name; });
    asked.extents.push_back(at == arrays_.all.end() ? std::vector<long>{} : at->extents);
  }
  for (const kernel::Statement &s : made.kernel.statements)
    asked.origins.push_back(s.origin);
  const auto &tasks = made.kernel.schedule.taskDimensions;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    asked.names[fmt::format("low{}", t)] = valueAt(tasks[t].low, values_);
    asked.names[fmt::format("high{}", t)] = valueAt(tasks[t].high, values_);
  }
  asked.reassociates = made.kernel.reassociates;
  Prediction p{emulate::threadTrace(asked, core_), {}, 0, false};
  const emulate::Emulation emulation(p.trace, {}, core_.core);
  p.analysis = emulate::analyse(emulation, options);
  p.seconds = emulate::inCycles(p.analysis.outcome.time) / core_.clock;
  p.isSteady = p.analysis.outcome.isExact;
  return p;
}

ProcessorPredictor::Proposed ProcessorPredictor::propose(kernel::Scheduler &scheduler, int most) const {
  Schedules space(scheduler, *this);
  Proposed made;
  made.guided = emulate::guide(space, emulate::Configuration(space.axes().size(), 0), most);
  for (const emulate::Configuration &c : made.guided.path)
    made.path.push_back(space.asked(c));
  made.best = scheduler.schedule(space.asked(made.guided.best));
  return made;
}

} // namespace pbc::search
