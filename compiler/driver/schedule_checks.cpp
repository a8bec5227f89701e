// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/schedule_checks.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::driver {
namespace {

/// No more lines than one reads; the others are counted.
constexpr std::size_t kMostLines = 10;

/// How each way to compose it fails.
void listFailures(const std::vector<ScheduleAttempt> &failed, source::Diagnostic &error) {
  std::size_t lines = 0, more = 0;
  for (const ScheduleAttempt &attempt : failed) {
    if (!attempt.sameAs.empty())
      continue;
    if (++lines <= kMostLines)
      error.help(fmt::format("{}: {}", attempt.provenance.empty() ? attempt.name : attempt.provenance,
                             attempt.problem.what));
    else
      ++more;
  }
  if (more)
    error.help(fmt::format("and {} more, which `pbc explain` lists once the program compiles", more));
}

} // namespace

void ScheduleChecks::addAttempt(const sema::Schedule &s, const ScheduleAttempt &attempt, Outcome &outcome) {
  outcome.applies |= attempt.kernel != nullptr;
  std::set<std::size_t> left;
  for (const compose::LeftOut &one : attempt.leftOut)
    if (one.ofScript) {
      left.insert(*one.ofScript);
      outcome.leftOut.emplace(*one.ofScript, one.problem);
    }
  for (std::size_t k = 0; attempt.kernel && k < s.steps.size(); ++k)
    if (!left.count(k))
      outcome.applied.insert(k);
}

void ScheduleChecks::add(const sema::Transform &t, const schedule::Step &step,
                         const ScheduleAttempts &attempts) {
  if (t.schedules.empty())
    return;
  const std::vector<std::string> rules = rulesOf(t, step);
  for (std::size_t k = 0; k < attempts.size(); ++k) {
    const sema::Schedule &s = t.schedules[k];
    Outcome &outcome = outcomes_[{s.span.file, s.span.begin}];
    if (attempts[k].empty()) {
      if (std::find(rules.begin(), rules.end(), s.rules.front()) != rules.end())
        outcome.together.insert(rules.begin(), rules.end());
      continue;
    }
    for (const ScheduleAttempt &attempt : attempts[k])
      addAttempt(s, attempt, outcome);
    const auto isGood = [](const ScheduleAttempt &attempt) { return attempt.kernel != nullptr; };
    if (outcome.failed.empty() && std::none_of(attempts[k].begin(), attempts[k].end(), isGood))
      outcome.failed = attempts[k];
  }
}

void ScheduleChecks::report(source::Diagnostics &diagnostics) const {
  std::set<std::pair<source::FileId, std::uint32_t>> done;
  for (const sema::Transform &t : module_.transforms)
    for (const sema::Schedule &s : t.schedules) {
      const auto outcome = outcomes_.find({s.span.file, s.span.begin});
      if (s.isOptional || !done.insert({s.span.file, s.span.begin}).second)
        continue;
      if (outcome == outcomes_.end() || !outcome->second.applies) {
        complain(t, s, outcome == outcomes_.end() ? Outcome() : outcome->second, diagnostics);
        continue;
      }
      for (const auto &[k, problem] : outcome->second.leftOut)
        if (!outcome->second.applied.count(k))
          diagnostics
              .error(problem.span.end ? problem.span : s.steps[k].span,
                     fmt::format("no way to compose the schedule `{}` has its step `{}`: {}", s.name,
                                 script::text(s.steps[k]), problem.what))
              .help(problem.help.empty() ? "remove the step, or write it for the loops of the rule"
                                         : problem.help);
    }
}

void ScheduleChecks::complain(const sema::Transform &t, const sema::Schedule &s, const Outcome &outcome,
                              source::Diagnostics &diagnostics) const {
  const std::string rules = fmt::format("{}", fmt::join(s.rules, " + "));
  if (outcome.failed.empty() && !outcome.together.empty()) {
    diagnostics.error(s.rulesSpan, fmt::format("`{}` has no loops of its own", rules))
        .help(fmt::format("its points and those of other rules need each other: write `schedule {} for {}`",
                          s.name, fmt::join(outcome.together, " + ")));
    return;
  }
  if (outcome.failed.empty()) {
    diagnostics.error(s.rulesSpan,
                      fmt::format("there are no loops for this schedule: no way to compute `{}` uses `{}`",
                                  t.family, rules));
    return;
  }
  const ScheduleAttempt &first = outcome.failed.front();
  const kernel::StepProblem &problem = first.problem;
  if (!first.hasLoops) {
    auto &error = diagnostics.error(
        s.rulesSpan,
        fmt::format("`{}` has no loops for a schedule: its body is called as it is written", rules));
    if (problem.span.end)
      error.note(problem.span, problem.what);
    else
      error.help(problem.what);
  } else if (!first.provenance.empty()) {
    auto &error = diagnostics.error(
        s.nameSpan, fmt::format("no way to compose the schedule `{}` with the structures of `{}` applies",
                                s.name, t.family));
    listFailures(outcome.failed, error);
  } else {
    const source::Span whole = first.step ? s.steps[*first.step].span : s.nameSpan;
    auto &error = diagnostics.error(
        problem.span.end ? problem.span : whole,
        fmt::format("the schedule `{}` does not apply to `{}`: {}", s.name, rules, problem.what));
    error.help(problem.help.empty() ? "`pbc explain --kernels` shows the loops of each rule" : problem.help);
  }
}

} // namespace pbc::driver
