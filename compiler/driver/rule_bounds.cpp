// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/rule_bounds.h"
#include "compiler/driver/emulate_report.h"
#include "compiler/driver/kernel_input.h"
#include "compiler/driver/machine_rates.h"
#include "compiler/driver/problems.h"
#include "compiler/emulate/verdict.h"
#include "compiler/kernel/lift.h"
#include "compiler/poly/names.h"
#include "compiler/schedule/private_matrices.h"
#include "compiler/search/predict/processor_predictor.h"
#include "runtime/base/machine.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

constexpr const char *kCommand = "pbc explain";
constexpr std::size_t kMostSchedules = 40; // that are predicted for a rule, which takes a second or some

class Bounder {
public:
  explicit Bounder(Compilation &c) : c_(c), given_(sizesOf(kCommand, c.options.bounds.sizes)) {
    if (!c.options.bounds.isWanted()) {
      if (std::optional<search::TypicalCore> typical = search::typicalCore())
        useCore(typical->core, typical->machine);
      return;
    }
    const model::Machine machine = machineFor(kCommand, c.options.bounds.machine, c.options.json);
    rates_ = ratesFor(kCommand, machine, pb::base::thisMachine());
    try {
      useCore(search::coreOf(machine), machine.name);
    } catch (const model::Problem &problem) {
      if (c.options.bounds.isPredicted())
        throw Refusal(fmt::format("{}: error: {}\nhelp: {}\n", kCommand, problem.what(), problem.help()));
    }
    // One core, powers of two, and all.
    for (int cores = 1; cores < c.options.bounds.threads; cores *= 2)
      cores_.push_back(cores);
    cores_.push_back(c.options.bounds.threads);
  }

  RuleBounds all() {
    RuleBounds made{.sizes = sizesInWords()};
    made.fastAt =
        fmt::format("on {}, {}", machine_,
                    made.sizes.empty() ? fmt::format("all sizes {}", search::kTypicalSize) : made.sizes);
    for (const auto &t : c_.module.transforms) {
      for (const std::string &name : t.sizeNames())
        names_.insert(name);
      std::vector<std::pair<const schedule::Step *, RuleBounds::Step>>
          known; // plans share most of their steps
      auto &ofTransform = made.steps.emplace_back();
      for (std::size_t p = 0; p < c_.plans[t.index].plans.size(); ++p) {
        const schedule::Plan &plan = c_.plans[t.index].plans[p];
        auto &ofPlan = ofTransform.emplace_back();
        for (const schedule::Step &s : plan.steps) {
          auto at = std::find_if(known.begin(), known.end(),
                                 [&](const auto &k) { return schedule::isSameStep(*k.first, s); });
          if (at == known.end())
            at = known.insert(known.end(), {&s, step(t, s, c_.kernels[t.index][p][ofPlan.size()],
                                                     versionsOf(t, p, ofPlan.size()))});
          ofPlan.push_back(at->second);
        }
        for (const kernel::TileGroup &group : c_.fusions[t.index][p].groups)
          for (std::size_t s = 0; s < plan.steps.size(); ++s)
            if (const int matrix = writtenOf(t, plan.steps[s], group.matrices); matrix >= 0)
              ofPlan[s] = {
                  {},
                  fmt::format("the program may compute {} in tiles, and only those cells that are read",
                              t.matrices[std::size_t(matrix)].name)};
      }
    }
    refuseUnknown();
    return made;
  }

private:
  /// Which of these matrices a step writes; -1: none.
  static int writtenOf(const sema::Transform &t, const schedule::Step &step,
                       const std::vector<int> &matrices) {
    for (const schedule::RuleUse &use : step.uses)
      for (const sema::Binding &output : t.rules[std::size_t(use.rule)].outputs)
        if (std::count(matrices.begin(), matrices.end(), output.matrix) > 0)
          return output.matrix;
    return -1;
  }

  std::string sizesInWords() const {
    std::string text = c_.options.bounds.n ? fmt::format("n = {}", *c_.options.bounds.n) : "";
    for (const auto &[name, value] : given_)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", poly::displayed(name), value);
    return text;
  }

  const std::vector<emit::Version> &versionsOf(const sema::Transform &t, std::size_t plan,
                                               std::size_t step) const {
    return c_.versions[std::size_t(t.index)][plan][step];
  }

  void useCore(const emulate::ProcessorCore &core, const std::string &machine) {
    core_ = core;
    machine_ = machine;
  }

  /// `scheduled`: as the program runs it, if it can be taken apart.
  RuleBounds::Step step(const sema::Transform &t, const schedule::Step &s,
                        const std::optional<kernel::Scheduled> &scheduled,
                        const std::vector<emit::Version> &versions) {
    if (s.callsTransforms)
      return {{}, "its bodies call transforms"};
    if (!rates_ && (!scheduled || !search::hasOrderedSums(*scheduled)))
      return {};
    for (const auto &use : s.uses)
      if (const body::Facts &facts = c_.facts[t.index][std::size_t(use.rule)]; !facts.liftable)
        return {{},
                fmt::format("the body of {} was not lifted: {}", t.rules[std::size_t(use.rule)].label,
                            facts.obstacle)};
    const kernel::Scheduled lifted =
        kernel::lift(t, s, c_.facts[t.index], c_.choices[t.index].grid, c_.context,
                     schedule::privateMatrices(t, c_.plans[t.index], s), {}, &c_.sources)
            .kernel;
    search::RuleBoundOptions options;
    for (const std::string &parameter : lifted.parameters) {
      if (const auto given = given_.find(parameter); given != given_.end())
        options.values.insert(*given);
      else if (const std::optional<long> n = rates_ ? c_.options.bounds.n : search::kTypicalSize)
        options.values[parameter] = *n;
      else
        return {{},
                fmt::format("its size {0} has no value: --size={0}=1024 gives it one",
                            poly::displayed(parameter))};
    }
    for (const auto &use : s.uses)
      for (const auto *bindings :
           {&t.rules[std::size_t(use.rule)].inputs, &t.rules[std::size_t(use.rule)].outputs})
        for (const sema::Binding &b : *bindings) {
          const sema::Matrix &matrix = t.matrices[std::size_t(b.matrix)];
          if (matrix.structure && matrix.structure->hides())
            return {{},
                    fmt::format("cells of {} that are not stored need not be computed with", matrix.name)};
        }
    for (const sema::Matrix &matrix : t.matrices)
      if (matrix.role == sema::Role::Through)
        options.temporaries.insert(matrix.name);
    RuleBounds::Step made;
    if (core_ && scheduled)
      made.fast = search::fastGain(lifted, *scheduled, options.values, *core_);
    if (!rates_)
      return made;
    if (c_.options.bounds.isPredicted())
      made.prediction = predicted(lifted, options.values, versions);
    for (const int cores : cores_) {
      options.cores = cores;
      search::RuleBound bound = search::ruleBound(lifted, options, *rates_);
      if (bound.seconds <= 0) {
        made.byCores.clear();
        made.why = bound.why;
        break;
      }
      made.byCores.emplace_back(cores, std::move(bound));
    }
    return made;
  }

  /// None: only times are wanted, and it has none.
  std::optional<RuleBounds::Prediction> predicted(const kernel::Scheduled &lifted,
                                                  const std::map<std::string, long> &values,
                                                  const std::vector<emit::Version> &versions) const {
    try {
      const search::ProcessorPredictor predictor(lifted, values, *core_);
      kernel::Scheduler scheduler(lifted);
      RuleBounds::Prediction made =
          c_.options.bounds.isWhy ? explained(predictor, scheduler) : RuleBounds::Prediction{};
      if (!c_.options.bounds.isWhy)
        made.seconds = predictor.of(scheduler.schedule(), emulate::kTimeAlone).seconds;
      for (const emit::Version &version : versions)
        if (made.schedules.size() < kMostSchedules && version.kernel && version.guards.empty())
          if (const double seconds = secondsOf(predictor, *version.kernel); seconds > 0)
            made.schedules.emplace_back(version.choice, seconds);
      return made;
    } catch (const search::NotPredicted &reason) {
      if (!c_.options.bounds.isWhy)
        return {};
      return RuleBounds::Prediction{reason.what(), "", 0, "", 1};
    }
  }

  /// What limits the kernel's own schedule, and one to try.
  RuleBounds::Prediction explained(const search::ProcessorPredictor &predictor,
                                   kernel::Scheduler &scheduler) const {
    const search::Prediction own = predictor.of(scheduler.schedule(), {.halves = false});
    RuleBounds::Prediction made{"", emulate::sentence(emulate::verdictOf(own.analysis), core_->core),
                                own.seconds, "", 1};
    for (const emulate::Elasticity &e : own.analysis.all)
      if (e.value >= kNoticed)
        made.elasticities.emplace_back(emulate::nameOf(e.parameter, core_->core), e.value);
    made.rules = emulate::rulesOf(own.trace).size();
    if (!own.analysis.all.empty())
      for (const emulate::LineShare &share : emulate::byLine(own.analysis.all.front(), own.trace, kNoticed))
        if (share.origin.line.isKnown())
          made.lines.push_back(share);
    const search::ProcessorPredictor::Proposed proposed =
        predictor.propose(scheduler, static_cast<int>(kMostSchedules));
    if (proposed.guided.seconds < own.seconds) {
      made.script = script::line(proposed.best.report.script);
      made.timesAsFast = own.seconds / proposed.guided.seconds;
    }
    return made;
  }

  /// 0: it is not predicted.
  static double secondsOf(const search::ProcessorPredictor &predictor, const kernel::Scheduled &scheduled) {
    try {
      return predictor.of({scheduled, {}}, emulate::kTimeAlone).seconds;
    } catch (const search::NotPredicted &) {
      return 0;
    }
  }

  void refuseUnknown() const {
    for (const auto &[name, value] : given_)
      if (!names_.contains(name)) {
        std::vector<std::string> known;
        for (const std::string &one : names_)
          known.push_back(poly::displayed(one));
        throw Refusal(fmt::format("{}: error: no transform has a size {}\nhelp: {}\n", kCommand,
                                  poly::displayed(name),
                                  known.empty() ? "none of them has sizes"
                                                : fmt::format("the sizes are {}", fmt::join(known, ", "))));
      }
  }

  Compilation &c_;
  std::map<std::string, long> given_;
  std::string machine_;                // its name
  std::optional<search::Rates> rates_; // if bounds are wanted
  std::optional<emulate::ProcessorCore> core_;
  std::vector<int> cores_;
  std::set<std::string> names_; // of sizes
};

} // namespace

RuleBounds ruleBounds(Compilation &c) { return Bounder(c).all(); }

} // namespace pbc::driver
