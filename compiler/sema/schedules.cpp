// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::sema {

namespace {

class ScheduleChecker {
public:
  ScheduleChecker(const TransformCopy &copy, source::Diagnostics &diagnostics)
      : copy_(copy), diagnostics_(diagnostics) {
    for (const RuleCopy &rule : copy.rules)
      if (std::find(labels_.begin(), labels_.end(), rule.label) == labels_.end())
        labels_.push_back(rule.label);
  }

  std::vector<Schedule> check() {
    for (const bool isOptional : {false, true}) // one of the program replaces one of a library
      for (const syntax::Schedule &written : copy_.header.schedules)
        if (written.isOptional == isOptional)
          if (const auto checked = schedule(written); checked && isNew(*checked))
            addWithNumbers(*checked);
    return std::move(all_);
  }

private:
  /// The schedule, and one for each other choice of the numbers that its steps leave to a search: `tiled` and `tiled/by=64`.
  void addWithNumbers(const Schedule &one) {
    const std::vector<script::StepParameter> tunables = script::tunables(one.steps);
    const std::vector<script::ParameterNumbers> choices = script::choicesOf(tunables, kMostSchedules + 1);
    if (choices.size() > kMostSchedules) {
      diagnostics_
          .error(one.nameSpan,
                 fmt::format("the numbers that `{}` leaves open can be chosen in more than {} ways", one.name,
                             kMostSchedules))
          .help("each of them is a version of the loops in the program: give `tune(...)` fewer numbers");
      return;
    }
    for (const script::ParameterNumbers &numbers : choices) {
      Schedule made = one;
      made.steps = script::chosen(one.steps, numbers);
      made.isOptional |=
          !all_.empty() && all_.back().span == one.span; // other numbers may not be possible everywhere
      for (const script::StepParameter &p : tunables)
        if (const long number = numbers.at(p.name); number != p.numbers.front())
          made.name += fmt::format("/{}={}", p.name, number);
      all_.push_back(std::move(made));
    }
  }

  std::optional<Schedule> schedule(const syntax::Schedule &written) {
    Schedule made{.name = written.name.text,
                  .steps = written.steps,
                  .isOptional = written.isOptional,
                  .isForAll = written.isForAll,
                  .nameSpan = written.name.span,
                  .rulesSpan = written.rules.front().span,
                  .span = written.span};
    made.rulesSpan.end = written.rules.back().span.end;
    bool isGood = hasRules(written, made);
    if (written.device)
      isGood &= hasDevice(*written.device, made);
    return isGood ? std::optional(std::move(made)) : std::nullopt;
  }

  bool hasRules(const syntax::Schedule &written, Schedule &made) {
    bool isGood = true;
    if (written.transform || written.everyTransform) {
      diagnostics_
          .error(written.transform ? written.transform->span : *written.everyTransform,
                 "inside a transform, a schedule names only its rule")
          .help(fmt::format("write `for {}`", written.rules.front().text));
      isGood = false;
    }
    for (const Identifier &rule : written.rules) {
      if (std::find(made.rules.begin(), made.rules.end(), rule.text) != made.rules.end()) {
        diagnostics_.error(rule.span, fmt::format("this schedule names the rule `{}` twice", rule.text));
        isGood = false;
      }
      made.rules.push_back(rule.text);
      if (std::find(labels_.begin(), labels_.end(), rule.text) != labels_.end())
        continue;
      isGood = false;
      const std::string &family = copy_.header.name.text;
      auto &error = diagnostics_.error(rule.span, fmt::format("`{}` has no rule `{}`", family, rule.text));
      if (const std::string meant = nearest(rule.text, labels_); !meant.empty())
        error.help(meant);
      error.help(fmt::format("its rules are {}", fmt::join(labels_, ", ")));
    }
    std::sort(made.rules.begin(), made.rules.end());
    return isGood;
  }

  bool hasDevice(const Identifier &device, Schedule &made) {
    if (device.text == "gpu")
      made.device = Schedule::Device::Gpu;
    if (device.text == "cpu" || device.text == "gpu")
      return true;
    diagnostics_.error(device.span,
                       fmt::format("a schedule is `on cpu` or `on gpu`, not on `{}`", device.text));
    return false;
  }

  bool isNew(const Schedule &one) {
    const auto isOther = [&](const Schedule &other) { return other.rules == one.rules; };
    const auto same = std::find_if(all_.begin(), all_.end(), [&](const Schedule &other) {
      return isOther(other) && other.device == one.device && other.name == one.name;
    });
    if (same == all_.end()) {
      if (static_cast<std::size_t>(std::count_if(all_.begin(), all_.end(), isOther)) < kMostSchedules)
        return true;
      diagnostics_.error(one.nameSpan, fmt::format("`{}` has more than {} schedules",
                                                   fmt::join(one.rules, "+"), kMostSchedules));
    } else if (!one.isOptional) {
      diagnostics_
          .error(one.nameSpan, fmt::format("`{}` has two schedules `{}` on one device",
                                           fmt::join(one.rules, "+"), one.name))
          .note(same->nameSpan, "the other one is here")
          .help("configurations choose among them by name: give each its own");
    }
    return false;
  }

  const TransformCopy &copy_;
  source::Diagnostics &diagnostics_;
  std::vector<std::string> labels_;
  std::vector<Schedule> all_;
};

} // namespace

std::vector<Schedule> checkSchedules(const TransformCopy &copy, source::Diagnostics &diagnostics) {
  return ScheduleChecker(copy, diagnostics).check();
}

} // namespace pbc::sema
