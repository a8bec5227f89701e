// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes that decide which rule runs where, in which order, and how its points become loops.
#include "compiler/choice/body_accesses.h"
#include "compiler/choice/sizes.h"
#include "compiler/driver/conditions.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/reads_back.h"
#include "compiler/driver/schedule_checks.h"
#include "compiler/kernel/lift.h"
#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/verify.h"
#include "compiler/poly/names.h"
#include "compiler/schedule/copied_reads.h"
#include "compiler/schedule/partial_results.h"
#include "compiler/schedule/private_matrices.h"
#include "compiler/schedule/versions.h"
#include "compiler/source/load.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::driver {
namespace {

/// The results for a step.
struct Made {
  const schedule::Step *step;
  std::optional<kernel::Scheduled> kernel; // nothing if the step calls transforms
  kernel::Report report;
  kernel::LaterOnDevice device;
  ScheduleAttempts schedules;
};

/// A matrix of which not all cells are what the memory holds can only be read where the compiler sees which cells those are.
void checkStructures(Compilation &c, const sema::Transform &t, const kernel::Scheduled &lifted) {
  for (const kernel::Statement &s : lifted.statements) {
    if (!s.isOpaque || !c.unseen.insert({t.family, s.rule}).second)
      continue;
    const sema::Rule &rule = t.rules[static_cast<std::size_t>(s.rule)];
    for (const sema::Binding &input : rule.inputs) {
      const sema::Matrix &matrix = t.matrices[static_cast<std::size_t>(input.matrix)];
      if (!matrix.structure || !matrix.structure->hides())
        continue;
      const body::Facts &facts = c.facts[t.index][static_cast<std::size_t>(s.rule)];
      c.diagnostics
          .error(input.span, fmt::format("`{}` is {}, and this rule's body reads it in C++ code that pbc "
                                         "cannot see through",
                                         matrix.name, sema::written(*matrix.structure)))
          .note(facts.liftable ? rule.headerSpan : facts.obstacleSpan,
                facts.liftable ? "a coordinate or the length of a loop is no sum of sizes and coordinates"
                               : facts.obstacle)
          .help("write the body with loops, scalars and assignments only, or give the matrix to a transform "
                "without a structure");
      break;
    }
  }
}

Made makeKernel(Compilation &c, const sema::Transform &t, const schedule::Step &s) {
  if (s.callsTransforms)
    return {&s, std::nullopt, {}, nullptr, attemptSchedules(t, s, c.facts[t.index], {}, c.adaptors)};
  const auto [lifted, whyWhole] =
      kernel::lift(t, s, c.facts[t.index], c.choices[t.index].grid, c.context,
                   schedule::privateMatrices(t, c.plans[t.index], s),
                   schedule::readElsewhere(t, c.choices[t.index].grid, c.plans[t.index], s), &c.sources);
  checkStructures(c, t, lifted);
  verify("lift", [&lifted = lifted] { return kernel::verify(lifted); });
  verify("text of a lifted kernel", [&lifted = lifted, &c] { return readsBack(lifted, c.context); });
  const std::string name = schedule::stepName(t, s);
  const kernel::Asked asked = c.requests.of(t.name, name);
  kernel::Scheduler scheduler(lifted);
  const script::Script *script = c.requests.scriptOf(t.name, name);
  kernel::Planned scheduled = script ? scheduler.follow(*script) : scheduler.schedule(asked);
  if (!whyWhole.empty())
    scheduled.report.notes.insert(scheduled.report.notes.begin(), {"lift", whyWhole});
  Made made{&s, std::move(scheduled.kernel), std::move(scheduled.report), nullptr, {}};
  if (const sema::Rule *rule = schedule::libraryRule(t, s); rule && c.options.forDevices)
    made.device =
        kernel::LaterOnDevice([number = rule->index] { return kernel::OnDevice{.libraryRule = number}; });
  else if (c.options.forDevices)
    made.device = kernel::LaterOnDevice([lifted = lifted, scheduled = *made.kernel, &context = c.context] {
      return kernel::onDevice(lifted, scheduled, context);
    });
  if (!t.schedules.empty())
    made.schedules = attemptSchedules(t, s, c.facts[t.index],
                                      {&lifted, &*made.kernel, made.device.get(), whyWhole}, c.adaptors);
  if (c.options.listsOptions) {
    KernelSpace space{t.index, name, {}, made.report.script, {}};
    if (!script)
      space.options = kernel::spaceOf(scheduler, asked);
    space.neighbours =
        kernel::neighbours(scheduler, made.report.script,
                           c.options.forThisMachine ? pb::base::thisMachine() : pb::base::typicalMachine());
    for (const std::string &size : lifted.parameters)
      space.sizes.push_back(poly::displayed(size));
    made.report.edits = space.neighbours.edits;
    addSpace(c.spaces, space);
  }
  verify("default schedule", [&] { return kernel::verify(*made.kernel); });
  verify("text of a scheduled kernel", [&] { return readsBack(*made.kernel, c.context); });
  return made;
}

/// The names of the alternatives of each schedule of a transform.
std::vector<std::vector<std::string>> alternativesOf(const sema::Transform &t,
                                                     const std::vector<Made> &made) {
  std::vector<std::vector<std::string>> all;
  std::map<std::vector<std::string>, std::size_t> count; // by the rules
  for (std::size_t k = 0; k < t.schedules.size(); ++k) {
    std::vector<const std::vector<ScheduleAttempt> *> attempts;
    for (const Made &m : made)
      attempts.push_back(&m.schedules[k]);
    all.push_back(namesOf(attempts));
    std::size_t &ofRules = count[t.schedules[k].rules];
    all.back().resize(std::min(all.back().size(), sema::kMostSchedules - ofRules));
    ofRules += all.back().size();
  }
  return all;
}

/// Makes the kernels of all plans of a transform; plans share most of their steps.
void addKernels(Compilation &c, const sema::Transform &t, ScheduleChecks &checks) {
  auto &kernels = c.kernels.emplace_back();
  auto &reports = c.reports.emplace_back();
  auto &devices = c.devices.emplace_back();
  auto &versions = c.versions.emplace_back();
  std::vector<Made> made;
  std::vector<std::vector<std::size_t>> numbers; // of made, by plan and step
  for (const auto &plan : c.plans[t.index].plans) {
    numbers.emplace_back();
    for (const auto &s : plan.steps) {
      auto same = std::find_if(made.begin(), made.end(),
                               [&](const Made &m) { return schedule::isSameStep(*m.step, s); });
      if (same == made.end())
        same = made.insert(made.end(), makeKernel(c, t, s));
      numbers.back().push_back(static_cast<std::size_t>(same - made.begin()));
    }
  }
  for (const Made &m : made)
    checks.add(t, *m.step, m.schedules);
  const std::vector<std::vector<std::string>> names = alternativesOf(t, made);
  std::vector<std::vector<emit::Version>> others;
  for (Made &m : made) {
    StepVersions more = versionsOf(t, m.schedules, names, m.report);
    for (const emit::Version &version : more.onProcessor)
      if (version.kernel)
        verify("schedule", [&] { return kernel::verify(*version.kernel); });
    others.push_back(std::move(more.onProcessor));
    for (kernel::DeviceVersion &version : more.onDevices) {
      verify("schedule for devices", [&] { return kernel::verify(version.kernel); });
      if (m.device && m.device->items)
        m.device->versions.push_back(std::move(version));
    }
  }
  for (const std::vector<std::size_t> &plan : numbers) {
    kernels.emplace_back();
    reports.emplace_back();
    devices.emplace_back();
    versions.emplace_back();
    for (const std::size_t n : plan) {
      kernels.back().push_back(made[n].kernel);
      reports.back().push_back(made[n].report);
      devices.back().push_back(made[n].device);
      versions.back().push_back(others[n]);
    }
  }
}

/// Lets Clang read the expressions that guard versions, of each transform once.
void checkGuards(Compilation &c) {
  const ProgramBeginning beginning{c.understood.beginning.library, c.understood.rawBlocks,
                                   c.understood.beginning.headerPath};
  for (const auto &t : c.module.transforms) {
    std::vector<script::Condition> known;
    for (const auto &steps : c.versions[t.index])
      for (const std::vector<emit::Version> &versions : steps)
        for (const emit::Version &version : versions)
          for (const script::Condition &guard : version.guards) {
            if (guard.kind != script::Condition::Kind::Predicate ||
                std::find(known.begin(), known.end(), guard) != known.end())
              continue;
            known.push_back(guard);
            const auto matrix = std::find_if(t.matrices.begin(), t.matrices.end(),
                                             [&](const sema::Matrix &m) { return m.name == guard.matrix; });
            c.understood.takesPointers |= checkGuard(guard, *matrix, beginning, c.diagnostics);
          }
  }
}

} // namespace

void chooseGrids(Compilation &c) {
  choice::checkSizes(c.module, c.facts, c.context, c.diagnostics);
  if (!c.diagnostics.hasErrors())
    c.choices = choice::chooseGrids(c.module, c.facts, c.context, c.diagnostics);
  if (!c.diagnostics.hasErrors())
    choice::checkBodyAccesses(c.module, c.facts, c.choices, c.context, c.diagnostics);
}

void plan(Compilation &c) {
  c.plans = schedule::plan(c.module, c.facts, c.choices, c.context, c.diagnostics);
  if (c.diagnostics.hasErrors())
    return;
  schedule::makePartialResultsVersions(c.module, c.facts, c.choices, c.plans, c.context);
  schedule::copyReads(c.module, c.facts, c.choices, c.plans, c.context);
}

void foldVersions(Compilation &c) {
  schedule::Folded folded = schedule::foldVersions(c.module, c.facts, c.choices, c.plans);
  c.module = std::move(folded.module);
  c.storage = std::move(folded.storage);
}

void readConfiguration(Compilation &c) {
  const std::string &path = c.options.configuration;
  if (path.empty())
    return;
  std::string why;
  const auto file = source::load(c.sources, path, &why);
  if (!file)
    throw Refusal(fmt::format("pbc: error: cannot read the configuration {}: {}\n", path, why));
  c.bakedConfiguration = c.sources.text(*file);
  if (c.bakedConfiguration.find('\0') != std::string::npos)
    throw Refusal(
        fmt::format("pbc: error: the configuration {} is not text: it has a byte that is 0\n", path));
  c.requests = KernelRequests(*file, c.sources, c.diagnostics);
}

void makeKernels(Compilation &c) {
  ScheduleChecks checks(c.module);
  for (const auto &t : c.module.transforms)
    addKernels(c, t, checks);
  checks.report(c.diagnostics);
  checkGuards(c);
  c.fusions = emit::fuse(c.module, c.plans, c.kernels);
  c.turns = emit::rowTurns(c.plans, c.kernels);
  c.requests.check(inputOf(c), c.reports, c.diagnostics);
}

} // namespace pbc::driver
