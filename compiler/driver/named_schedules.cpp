// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/named_schedules.h"
#include "compiler/compose/rules.h"
#include "compiler/compose/structures.h"
#include "compiler/emit/kernel/device_text.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/emit/kernel/nest.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/run.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace pbc::driver {
namespace {

bool isForDevices(const sema::Schedule &schedule) { return schedule.device == sema::Schedule::Device::Gpu; }

/// Why the step has no loops that a schedule could change.
std::optional<ScheduleAttempt> withoutLoops(const schedule::Step &step, const std::vector<body::Facts> &facts,
                                            const kernel::Scheduled *lifted, const std::string &whyWhole) {
  for (const schedule::RuleUse &use : step.uses)
    if (const body::Facts &f = facts[static_cast<std::size_t>(use.rule)]; !f.liftable)
      return ScheduleAttempt{.problem = {f.obstacle, "", f.obstacleSpan}, .hasLoops = false};
  if (!lifted || !whyWhole.empty())
    return ScheduleAttempt{.problem = {whyWhole, "", {}}, .hasLoops = false};
  return std::nullopt;
}

/// What of the schedule the loops as they are printed cannot have; "" if they have all of it.
std::string findDropped(const kernel::Scheduled &made) {
  emit::KernelText text;
  try {
    text = emit::kernelText(made, "kernel", "Frame");
  } catch (const emit::NoLoops &none) {
    return none.what();
  }
  for (const loop::Left &left : text.left)
    if (left.why != loop::Left::Why::RunsOnce && left.why != loop::Left::Why::GeneralStrides)
      return fmt::format("`{}` is not possible in these loops: {}", kernel::text(left.how),
                         loop::words(left.why));
  return text.note;
}

/// Why the kernel is no version for devices; "" if it is one.
std::string whyNoVersion(const kernel::Scheduled &made) {
  const isl::schedule &tree = made.schedule.tree;
  if (kernel::hasTeams(tree) || kernel::workInGroups(tree) || made.schedule.steps ||
      kernel::roundsOf(made.schedule) > 0)
    return "only versions that the compiler makes itself have teams, tiles or rounds";
  if (kernel::itemLoops(tree).empty())
    return "its points belong to no items of a device: `items()` gives each of them one";
  for (const kernel::Buffer &b : made.buffers)
    if (b.role == kernel::Buffer::Role::Scratch)
      return fmt::format("`{}` is memory of a task, which devices do not have", b.name);
  return emit::whyNoDeviceText(made);
}

/// How many loops the compiler itself gives to items.
std::size_t axesOf(const kernel::Scheduled &lifted) {
  const kernel::ScriptOutcome made = kernel::run({script::step("items", {})}, lifted, kernel::Mode::Strict);
  return made.failed.empty() ? kernel::itemLoops(made.kernel.schedule.tree).size() : 0;
}

std::string whyNotUsed(const sema::Schedule &schedule, const kernel::Scheduled &lifted,
                       const kernel::Scheduled &made) {
  if (!isForDevices(schedule))
    return findDropped(made);
  const std::size_t own = kernel::itemLoops(made.schedule.tree).size(), all = axesOf(lifted);
  if (own > 0 && own < all)
    return fmt::format("its items are along {} of the {} loops whose points can run at once, and a launch "
                       "has all of them: `items()` without "
                       "names takes all",
                       own, all);
  if (all > 0 && own > all)
    return fmt::format("its items are along {} loops, where a launch has {}: steps that make several of a "
                       "loop come in front of `items`",
                       own, all);
  return whyNoVersion(made);
}

ScheduleAttempt attempt(const kernel::Scheduled &lifted, const sema::Schedule &schedule) {
  ScheduleAttempt out{.name = schedule.name, .steps = schedule.steps};
  kernel::ScriptOutcome made = kernel::run(schedule.steps, lifted, kernel::Mode::Strict);
  if (!made.failed.empty()) {
    out.problem = std::move(made.failed.front().problem);
    out.step = made.failed.front().index;
  } else if (std::string dropped = whyNotUsed(schedule, lifted, made.kernel); !dropped.empty()) {
    out.problem.what = std::move(dropped);
  } else {
    out.kernel = std::make_shared<const kernel::Scheduled>(std::move(made.kernel));
  }
  return out;
}

/// Composes the schedules of one kernel with the adaptors that the structures of its matrices ask for.
class StructureComposer {
public:
  StructureComposer(const sema::Transform &t, const kernel::Scheduled &lifted, const StepKernels &kernels,
                    const std::vector<script::Adaptor> &adaptors)
      : transform_(t), lifted_(lifted), kernels_(kernels) {
    for (const script::Adaptation &use : compose::adaptationsOf(t, lifted)) {
      const source::SourceManager sources;
      source::Diagnostics silent(
          sources); // what is wrong with an adaptor that a structure asks for makes it a missing one
      if (auto rules = compose::rulesOf(adaptors, use, silent))
        adapted_.push_back({use, std::move(*rules)});
      else
        missing_.push_back(use);
    }
  }

  /// The schedule in all ways, and what the adaptors would have made that there are not.
  std::vector<ScheduleAttempt> attempts(const sema::Schedule &schedule) {
    std::vector<ScheduleAttempt> all = compose(schedule);
    for (const script::Adaptation &use : missing_)
      all.push_back(
          {.name = fmt::format("{}+{}", schedule.name, script::text(use)),
           .problem = {
               fmt::format("there is no adaptor `{}` that takes a matrix alone", use.adaptor), "", {}}});
    return all;
  }

private:
  std::vector<ScheduleAttempt> compose(const sema::Schedule &schedule) {
    if (adapted_.empty() && !schedule.isForAll)
      return {attempt(lifted_, schedule)};
    const compose::CompositionOutcome made = compose::compose(lifted_, schedule.steps, adapted_);
    if (!made.composition)
      return {attempt(lifted_, schedule),
              {.name = schedule.name + " with adaptors", .problem = {made.why, "", {}}}};
    std::vector<ScheduleAttempt> all;
    const compose::Choosing choosing{
        .decide = [&](const script::Condition &c) { return compose::decided(c, transform_); },
        .whyNot = [&](const kernel::Scheduled &k) { return whyNotUsed(schedule, lifted_, k); }};
    for (compose::Alternative &one :
         compose::alternatives(schedule.name, schedule.steps, adapted_, *made.composition, choosing)) {
      ScheduleAttempt out{.name = std::move(one.name),
                          .provenance = std::move(one.provenance),
                          .problem = {std::move(one.why), "", {}},
                          .steps = std::move(one.steps),
                          .leftOut = std::move(one.leftOut),
                          .guards = std::move(one.guards),
                          .sameAs = std::move(one.sameAs)};
      if (one.kernel && isForDevices(schedule) && !out.guards.empty())
        out.problem.what = "its condition would have to be checked in front of a launch, and calls check "
                           "those of the processor's schedules only";
      else if (one.kernel)
        out.kernel = std::make_shared<const kernel::Scheduled>(std::move(*one.kernel));
      all.push_back(std::move(out));
    }
    for (ScheduleAttempt &one : all) {
      if (const ScheduleAttempt *same = find(all, one.sameAs); same && same->kernel)
        one.kernel = same->kernel, one.guards = same->guards;
      if (one.kernel && (one.name != schedule.name || schedule.isOptional))
        one.isOwn = ownName(*one.kernel, schedule);
    }
    return all;
  }

  /// The choice whose loops they are anyway; "" if there is none.
  std::string ownName(const kernel::Scheduled &made, const sema::Schedule &schedule) {
    if (own_.empty() && !isForDevices(schedule))
      addOwn("cpu", *kernels_.own);
    else if (own_.empty() && kernels_.device)
      for (const kernel::DeviceVersion &v : kernels_.device->versions)
        if (v.exists())
          addOwn(v.name == "global" ? "gpu" : "gpu_" + v.name, v.kernel);
    const std::string key = own_.empty() ? "" : compose::wholeKeyOf(made);
    const auto same = std::find_if(own_.begin(), own_.end(), [&](const Own &own) { return own.key == key; });
    return same == own_.end() ? "" : same->choice;
  }
  void addOwn(const std::string &choice, const kernel::Scheduled &kernel) {
    own_.push_back({choice, compose::wholeKeyOf(kernel)});
  }

  static const ScheduleAttempt *find(const std::vector<ScheduleAttempt> &all, const std::string &name) {
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const ScheduleAttempt &a) { return a.name == name; });
    return at == all.end() ? nullptr : &*at;
  }

  const sema::Transform &transform_;
  const kernel::Scheduled &lifted_;
  const StepKernels &kernels_;
  struct Own {
    std::string choice, key;
  };
  std::vector<Own> own_; // of the machine that the schedules are for
  std::vector<compose::Adapted> adapted_;
  std::vector<script::Adaptation> missing_;
};

/// Why there is no such choice, or why it is not another one.
std::string whyNot(const sema::Schedule &schedule, const ScheduleAttempt &attempt) {
  if (!attempt.sameAs.empty()) {
    std::string why = fmt::format("its loops are those of {}", schedule.choice(attempt.sameAs));
    for (const compose::LeftOut &left : attempt.leftOut) // that the adaptors would add
      if (!left.ofScript)
        why += fmt::format("; left out: `{}`, {}", script::text(left.step), left.problem.what);
    return why;
  }
  if (!attempt.isOwn.empty())
    return fmt::format("its loops are those of {}", attempt.isOwn);
  if (attempt.kernel)
    return fmt::format("its rules have more than {} alternatives", sema::kMostSchedules);
  return attempt.step
             ? fmt::format("`{}`: {}", script::text(schedule.steps[*attempt.step]), attempt.problem.what)
             : attempt.problem.what;
}

kernel::ComposedSchedule described(const sema::Schedule &schedule, const ScheduleAttempt &attempt) {
  kernel::ComposedSchedule out{schedule.choice(attempt.name),
                               attempt.provenance,
                               attempt.steps,
                               {},
                               script::guardText(attempt.guards)};
  for (const compose::LeftOut &left : attempt.leftOut)
    out.leftOut.push_back({script::text(left.step), left.problem.what});
  return out;
}

} // namespace

std::vector<std::string> rulesOf(const sema::Transform &t, const schedule::Step &step) {
  std::set<std::string> rules;
  for (const schedule::RuleUse &use : step.uses)
    rules.insert(sema::familyOf(t.rules[use.rule]));
  return {rules.begin(), rules.end()};
}

ScheduleAttempts attemptSchedules(const sema::Transform &t, const schedule::Step &step,
                                  const std::vector<body::Facts> &facts, const StepKernels &kernels,
                                  const std::vector<script::Adaptor> &adaptors) {
  ScheduleAttempts all(t.schedules.size());
  const std::vector<std::string> rules = rulesOf(t, step);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const sema::Schedule &schedule = t.schedules[k];
    if (schedule.rules != rules)
      continue;
    if (std::optional<ScheduleAttempt> without =
            withoutLoops(step, facts, kernels.lifted, kernels.whyWhole)) {
      without->name = schedule.name;
      all[k].push_back(std::move(*without));
      continue;
    }
    if (isForDevices(schedule) && kernels.device && !kernels.device->items) {
      const std::string why = kernels.device->libraryRule >= 0
                                  ? "a function of a library computes it on devices"
                                  : kernels.device->why;
      all[k].push_back({.name = schedule.name, .problem = {why, "", kernels.device->whyAt}});
      continue;
    }
    if (isForDevices(schedule) && !kernels.device && schedule.isOptional) {
      all[k].push_back({.name = schedule.name, .problem = {"nothing is made for devices", "", {}}});
      continue;
    }
    kernel::Scheduled start = *kernels.lifted;
    start.schedule.target = isForDevices(schedule) ? kernel::Target::Device : kernel::Target::Processor;
    all[k] = StructureComposer(t, start, kernels, adaptors).attempts(schedule);
  }
  return all;
}

std::vector<std::string> namesOf(const std::vector<const std::vector<ScheduleAttempt> *> &atSteps) {
  std::vector<std::string> names;
  for (const std::vector<ScheduleAttempt> *attempts : atSteps)
    for (const ScheduleAttempt &attempt : *attempts)
      if (attempt.kernel && attempt.sameAs.empty() && attempt.isOwn.empty() &&
          std::find(names.begin(), names.end(), attempt.name) == names.end())
        names.push_back(attempt.name);
  return names;
}

StepVersions versionsOf(const sema::Transform &t, const ScheduleAttempts &attempts,
                        const std::vector<std::vector<std::string>> &names, kernel::Report &report) {
  StepVersions all;
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    if (attempts[k].empty())
      continue;
    const sema::Schedule &s = t.schedules[k];
    const auto find = [&](const std::string &name) {
      const auto at = std::find_if(attempts[k].begin(), attempts[k].end(),
                                   [&](const ScheduleAttempt &a) { return a.name == name && a.kernel; });
      return at == attempts[k].end() ? nullptr : &*at;
    };
    for (const std::string &name : names[k]) {
      // A piece of the rule that the adaptors leave as it is has the schedule alone.
      const ScheduleAttempt *attempt = find(name);
      if (!attempt)
        attempt = find(s.name);
      const std::string guard = attempt ? script::guardText(attempt->guards) : "";
      const std::string doc =
          fmt::format("on {}, by the schedule `{}`{}{}", isForDevices(s) ? "a device" : "the processor",
                      attempt && !attempt->provenance.empty() ? attempt->provenance : name,
                      guard.empty() ? "" : ", ", guard);
      if (!isForDevices(s))
        all.onProcessor.push_back({s.choice(name), doc, attempt ? attempt->kernel : nullptr,
                                   attempt ? attempt->guards : std::vector<script::Condition>{}});
      else if (attempt)
        all.onDevices.push_back(
            {.name = s.choice(name), .script = attempt->steps, .kernel = *attempt->kernel, .doc = doc});
      if (attempt && !attempt->provenance.empty() && attempt->name == name)
        report.composed.push_back(described(s, *attempt));
    }
    const std::size_t before = report.notes.size();
    for (const ScheduleAttempt &attempt : attempts[k]) {
      if (attempt.kernel && std::find(names[k].begin(), names[k].end(), attempt.name) != names[k].end())
        continue;
      std::string why = whyNot(s, attempt);
      if (report.notes.size() > before && report.notes.back().why == why)
        report.notes.back().transformation += ", " + s.choice(attempt.name);
      else
        report.notes.push_back({"schedule " + s.choice(attempt.name), std::move(why)});
    }
  }
  return all;
}

} // namespace pbc::driver
