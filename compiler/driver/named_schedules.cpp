// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/named_schedules.h"
#include "compiler/driver/problems.h"
#include "compiler/emit/kernel/kernel_text.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/script/script.h"
#include "compiler/source/load.h"
#include "compiler/syntax/nearest.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace pbc::driver {
namespace {

/// The families of the step's rules, as sema::Schedule has them.
std::vector<std::string> rulesOf(const sema::Transform &t, const schedule::Step &step) {
  std::set<std::string> rules;
  for (const schedule::RuleUse &use : step.uses)
    rules.insert(sema::familyOf(t.rules[use.rule]));
  return {rules.begin(), rules.end()};
}

/// Why the step has no loops that a schedule could change.
std::optional<ScheduleAttempt> withoutLoops(const schedule::Step &step, const std::vector<body::Facts> &facts,
                                            const kernel::Scheduled *lifted, const std::string &whyWhole) {
  for (const schedule::RuleUse &use : step.uses)
    if (const body::Facts &f = facts[static_cast<std::size_t>(use.rule)]; !f.liftable)
      return ScheduleAttempt{nullptr, {f.obstacle, "", f.obstacleSpan}, std::nullopt, false};
  if (!lifted || !whyWhole.empty())
    return ScheduleAttempt{nullptr, {whyWhole, "", {}}, std::nullopt, false};
  return std::nullopt;
}

/// What of the schedule the loops as they are printed cannot have; "" if they have all of it.
std::string findDropped(const kernel::Scheduled &made) {
  const emit::KernelText text = emit::kernelText(made, "kernel", "Frame");
  for (const loop::Left &left : text.left)
    if (left.why != loop::Left::Why::RunsOnce && left.why != loop::Left::Why::GeneralStrides)
      return fmt::format("`{}` is not possible in these loops: {}", kernel::text(left.how),
                         loop::words(left.why));
  return text.note;
}

ScheduleAttempt attempt(kernel::Scheduled lifted, const script::Script &steps) {
  lifted.schedule.target = kernel::Target::Processor;
  kernel::ScriptOutcome made = kernel::run(steps, lifted, kernel::Mode::Strict);
  if (!made.failed.empty()) {
    kernel::FailedStep &failed = made.failed.front();
    return {nullptr, std::move(failed.problem), failed.index};
  }
  if (std::string dropped = findDropped(made.kernel); !dropped.empty())
    return {nullptr, {std::move(dropped), "", {}}, std::nullopt};
  return {std::make_shared<const kernel::Scheduled>(std::move(made.kernel)), {}, {}};
}

} // namespace

std::vector<ScheduleFile> loadSchedules(source::SourceManager &sources, const std::vector<std::string> &paths,
                                        const std::string &standardFolder) {
  std::vector<ScheduleFile> all;
  const auto load = [&](const std::string &path, bool isOptional) {
    std::string why;
    const auto file = source::load(sources, path, &why);
    if (!file)
      throw Refusal(
          fmt::format("pbc: error: cannot read the schedules {}: {}\nhelp: --schedule=FILE names a file with "
                      "schedules, such as `schedule wide for Blur.rows {{ vector(x); }}`\n",
                      path, why));
    all.push_back({*file, isOptional});
  };
  for (const std::string &path : paths)
    load(path, false);
  const std::size_t files = sources.fileCount();
  for (source::FileId file = 0; !standardFolder.empty() && file < files; ++file) {
    const std::filesystem::path read = sources.path(file);
    if (read.parent_path() != std::filesystem::path(standardFolder) || read.extension() != ".pbcc")
      continue;
    const std::filesystem::path schedules =
        std::filesystem::path(standardFolder) / "schedules" / read.stem().replace_extension(".sched");
    if (std::error_code none; std::filesystem::exists(schedules, none))
      load(schedules.string(), true);
  }
  return all;
}

void addSchedules(syntax::Program &program, const ScheduleFile &file, source::Diagnostics &diagnostics) {
  std::vector<std::string_view> names;
  for (const syntax::Transform &t : program.transforms)
    names.push_back(t.name.text);
  for (syntax::Schedule &s : syntax::parseSchedules(file.file, diagnostics)) {
    s.isOptional = file.isOptional;
    if (!s.transform) {
      diagnostics
          .error(s.rules.front().span, "in a file of schedules, a rule is named together with its transform")
          .help(fmt::format("write `for TRANSFORM.{}`", s.rules.front().text));
      continue;
    }
    const syntax::Identifier wanted = *std::exchange(s.transform, std::nullopt);
    bool isFound = false;
    for (syntax::Transform &t : program.transforms)
      if (t.name.text == wanted.text && !t.isForward)
        t.schedules.push_back(s), isFound = true;
    if (isFound)
      continue;
    auto &error =
        diagnostics.error(wanted.span, fmt::format("the program has no transform `{}`", wanted.text));
    if (const std::string meant = syntax::nearest(wanted.text, names); !meant.empty())
      error.help(fmt::format("did you mean `{}`?", meant));
    error.help(fmt::format("its transforms are {}", fmt::join(names, ", ")));
  }
}

ScheduleAttempts attemptSchedules(const sema::Transform &t, const schedule::Step &step,
                                  const std::vector<body::Facts> &facts, const kernel::Scheduled *lifted,
                                  const std::string &whyWhole) {
  ScheduleAttempts all(t.schedules.size());
  if (t.schedules.empty())
    return all;
  const std::vector<std::string> rules = rulesOf(t, step);
  for (std::size_t k = 0; k < all.size(); ++k)
    if (t.schedules[k].rules == rules) {
      all[k] = withoutLoops(step, facts, lifted, whyWhole);
      if (!all[k])
        all[k] = attempt(*lifted, t.schedules[k].steps);
    }
  return all;
}

std::string whyNot(const sema::Schedule &schedule, const ScheduleAttempt &attempt) {
  return attempt.step
             ? fmt::format("`{}`: {}", script::text(schedule.steps[*attempt.step]), attempt.problem.what)
             : attempt.problem.what;
}

void ScheduleChecks::add(const sema::Transform &t, const schedule::Step &step,
                         const ScheduleAttempts &attempts) {
  if (t.schedules.empty())
    return;
  const std::vector<std::string> rules = rulesOf(t, step);
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    const sema::Schedule &s = t.schedules[k];
    Outcome &outcome = outcomes_[{s.span.file, s.span.begin}];
    if (attempts[k]) {
      outcome.applies |= attempts[k]->kernel != nullptr;
      if (!attempts[k]->kernel && !outcome.failure)
        outcome.failure = attempts[k];
    } else if (std::find(rules.begin(), rules.end(), s.rules.front()) != rules.end()) {
      outcome.together.insert(rules.begin(), rules.end());
    }
  }
}

void ScheduleChecks::report(source::Diagnostics &diagnostics) const {
  for (const sema::Transform &t : module_.transforms)
    for (const sema::Schedule &s : t.schedules) {
      const auto outcome = outcomes_.find({s.span.file, s.span.begin});
      if (!s.isOptional && (outcome == outcomes_.end() || !outcome->second.applies))
        complain(t, s, outcome == outcomes_.end() ? Outcome() : outcome->second, diagnostics);
    }
}

void ScheduleChecks::complain(const sema::Transform &t, const sema::Schedule &s, const Outcome &outcome,
                              source::Diagnostics &diagnostics) const {
  const std::string rules = fmt::format("{}", fmt::join(s.rules, " + "));
  if (!outcome.failure && !outcome.together.empty()) {
    diagnostics.error(s.rulesSpan, fmt::format("`{}` has no loops of its own", rules))
        .help(fmt::format("its points and those of other rules need each other: write `schedule {} for {}`",
                          s.name, fmt::join(outcome.together, " + ")));
  } else if (!outcome.failure) {
    diagnostics.error(s.rulesSpan,
                      fmt::format("there are no loops for this schedule: no way to compute `{}` uses `{}`",
                                  t.family, rules));
  } else if (outcome.failure->hasLoops) {
    const kernel::StepProblem &problem = outcome.failure->problem;
    const source::Span whole = outcome.failure->step ? s.steps[*outcome.failure->step].span : s.nameSpan;
    auto &error = diagnostics.error(
        problem.span.end ? problem.span : whole,
        fmt::format("the schedule `{}` does not apply to `{}`: {}", s.name, rules, problem.what));
    error.help(problem.help.empty() ? "`pbc explain --kernels` shows the loops of each rule" : problem.help);
  } else {
    const kernel::StepProblem &problem = outcome.failure->problem;
    auto &error = diagnostics.error(
        s.rulesSpan,
        fmt::format("`{}` has no loops for a schedule: its body is called as it is written", rules));
    if (problem.span.end)
      error.note(problem.span, problem.what);
    else
      error.help(problem.what);
  }
}

} // namespace pbc::driver
