// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/processor.h"
#include "compiler/kernel/policy/delayed.h"
#include "compiler/kernel/policy/point_loops.h"
#include "compiler/kernel/policy/streams.h"
#include "compiler/kernel/policy/term_by_term.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/time_functions.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/verify.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <isl/schedule.h>

namespace pbc::kernel {
namespace {

void check([[maybe_unused]] const Scheduled &kernel, [[maybe_unused]] const char *step) {
#ifdef PBC_VERIFY
  for (const std::string &complaint : verify(kernel)) {
    std::fprintf(stderr, "pbc: internal error: kernel %s after %s: %s\n", kernel.name.c_str(), step,
                 complaint.c_str());
    std::abort();
  }
#endif
}

std::vector<std::string> taskNames(const Scheduled &kernel) {
  std::vector<std::string> names;
  for (const auto &d : kernel.schedule.taskDimensions)
    names.push_back(d.name);
  return names;
}

/// Writes one script, and runs its steps as it goes.
class Making {
public:
  /// `loops`: the labels of the loops over points.
  Making(Planned start, std::vector<std::string> loops, const Asked &asked)
      : best_(std::move(start.kernel)), report_(std::move(start.report)), asked_(asked),
        loops_(std::move(loops)) {}

  Planned take() { return {std::move(best_), std::move(report_)}; }

  void order() {
    // Dimension 0 is innermost, the last one outermost; a requested vector dimension is always innermost.
    const std::string *vector = asked("vector");
    std::map<std::string, int> rank;
    for (const LoopNode &loop : pointLoops(best_))
      rank[loop.label] = vector && loop.label == *vector ? -1 : memberDirection(best_, loop.band)->dimension;
    std::vector<std::string> order = loops_;
    std::stable_sort(order.begin(), order.end(),
                     [&](const std::string &a, const std::string &b) { return rank[a] > rank[b]; });
    const bool hasChoice = loops_.size() > 1;
    bool isAsked = false;
    if (const std::string *value = hasChoice ? asked("order") : nullptr) {
      const std::vector<std::string> wanted = parts(*value, ',');
      isAsked = std::is_permutation(wanted.begin(), wanted.end(), loops_.begin(), loops_.end());
      if (isAsked)
        isAsked = wanted == loops_ || replace("order", {{script::step("order", wanted)}, ""});
      else
        refuse("order", "its loops over points are " + quoted(loops_));
    }
    if (!isAsked && order != loops_ && (vector || !keepCells(best_, pointLoops(best_))))
      attempt("order", {{script::step("order", order)}, ""});
    const std::string *body = asked("body");
    if (hasChoice && !isAsked && !vector && (!body || *body == "registers"))
      if (const Steps steps = guarded([&] { return orderForBlocks(best_); }); !steps.steps.empty())
        attempt("order", steps);
    if (hasChoice)
      set("order", listed(labelsOf(pointLoops(best_))));
  }

  void tasks() {
    const Scheduled whole = best_;
    const script::Script before = report_.script;
    const bool isCut = attempt("tasks", {{tasksStep({}, "")}, ""});
    const auto &dimensions = best_.schedule.taskDimensions;
    const bool hasChoice = isCut && best_.schedule.taskOrder == TaskOrder::Any && dimensions.size() > 1;
    const std::string *along = hasChoice ? asked("tasks") : nullptr;
    const std::string *time = best_.schedule.bytesPerPlace ? asked("time_tiles") : nullptr;
    if (along)
      again(whole, before, "tasks", tasksStep(parts(*along, ','), ""));
    if (time && *time == "diamonds")
      again(whole, before, "time_tiles", tasksStep({}, *time));
    if (hasChoice)
      set("tasks", listed(taskNames(best_)));
    if (best_.schedule.bytesPerPlace)
      set("time_tiles", hasDiamonds(best_) ? "diamonds" : "parallelograms");
    for (const auto &d : best_.schedule.taskDimensions)
      if (d.grain > 1)
        set("grain", std::to_string(d.grain));
    best_.schedule.plain = best_.schedule.tree;
  }

  void tiles() {
    if (loops_.size() < 2 || best_.schedule.taskOrder == TaskOrder::Wavefront)
      return; // the runtime tiles wavefronts
    std::string used = "off";
    if (const std::string *value = asked("tile"); value && *value != "off") {
      std::vector<long> sizes;
      bool areSizes = true;
      for (const std::string &part : parts(*value, 'x')) {
        areSizes &=
            !part.empty() && part.size() <= 9 && part.find_first_not_of("0123456789") == std::string::npos;
        sizes.push_back(areSizes ? std::stol(part) : 0);
      }
      if (!areSizes)
        refuse("tile", "a tile size is 1 to 999999999, or 0 for a loop that is not cut");
      else if (replace("tile", {{script::step("tile", labelsOf(pointLoops(best_)), sizes)}, ""}))
        used = *value;
    }
    set("tile", used);
  }

  /// Long bodies are computed in blocks of points; short ones LLVM unrolls into a vector loop.
  void points() {
    if (best_.statements.empty())
      return; // of bodies without statements
    const std::string *vector = asked("vector"), *body = asked("body");
    const bool isOpaque = std::any_of(best_.statements.begin(), best_.statements.end(),
                                      [](const Statement &s) { return s.isOpaque; });
    if (vector && *vector == "off" && !isOpaque && !loops_.empty()) {
      replace("vector", scalarSteps(best_));
      set("vector", "off");
      return;
    }
    VectorForm form;
    form.interleave = static_cast<int>(number("unroll"));
    form.lanes = number("lanes");
    const bool isVariable = vector && *vector != "auto" && findVariable(*vector, form);
    const bool isFree = (!vector || *vector == "auto") && !body && !isOpaque;
    bool takesTurns = false; // points share loops that none of them has alone
    if (isFree && !form.lanes && !form.interleave && hasUpdates(best_))
      takesTurns = attempt("delay", guarded([&] { return delaySteps(best_); }));
    if (isFree)
      for (const script::Step &step : termByTermCandidates(best_))
        if (Steps sums = guarded([&] { return termByTermSteps(best_, step); }); !sums.steps.empty())
          takesTurns |= attempt("term_by_term", sums);
    if (inRegisters(form, body))
      return;
    if (body && *body != "registers")
      form.body = *body == "lanes" ? VectorForm::Body::Lanes : VectorForm::Body::Unrolled;
    const VectorForm byDefault{-1, VectorForm::Body::Any, form.interleave, form.lanes};
    bool isDone = false;
    if (isVariable || form.body != VectorForm::Body::Any)
      isDone = replace(isVariable && form.body == VectorForm::Body::Any ? "vector" : "body",
                       guarded([&] { return vectorSteps(best_, form); }));
    if (isDone || attempt("vector", guarded([&] { return vectorSteps(best_, byDefault); })))
      asVectors(takesTurns);
    else if (!isOpaque && !loops_.empty())
      leaveToCompiler();
  }

  /// Refuses requested options that no step has used.
  void finish() {
    for (const auto &[option, value] : asked_) {
      const auto isNamed = [&, &name = option](const auto &list, auto member) {
        return std::any_of(list.begin(), list.end(), [&](const auto &one) { return one.*member == name; });
      };
      if (!isNamed(report_.settings, &Setting::option) && !isNamed(report_.refused, &Note::transformation))
        refuse(option, whyNot(option));
    }
  }

private:
  const std::string *asked(const std::string &option) const {
    const auto at = asked_.find(option);
    return at == asked_.end() ? nullptr : &at->second;
  }
  /// The requested number; 0: "auto", or not requested.
  long number(const std::string &option) const {
    const std::string *value = asked(option);
    return value && *value != "auto" ? std::stol(*value) : 0;
  }
  void set(const std::string &option, const std::string &value) {
    report_.settings.push_back({option, value});
  }
  void refuse(const std::string &option, const std::string &why) { report_.refused.push_back({option, why}); }

  /// A decision that exceeds isl's budget leaves its steps out.
  Steps guarded(const std::function<Steps()> &f) const {
    Steps made;
    if (!poly::withBudget(best_.context.ctx(), kStepBudget, [&] { made = f(); }))
      return {{}, "it would take too long to find out whether it applies"};
    return made;
  }

  /// Runs the steps, all of them or none; the sentence of the first one that does not apply.
  std::string runAll(const Steps &wanted) {
    if (wanted.steps.empty())
      return wanted.why;
    Scheduled now = wanted.kernel ? *wanted.kernel : best_;
    for (std::size_t k = wanted.kernel ? wanted.steps.size() : 0; k < wanted.steps.size(); ++k) {
      StepOutcome made = run(wanted.steps[k], now);
      if (!made.kernel)
        return made.problem.what;
      now = std::move(*made.kernel);
      check(now, wanted.steps[k].transformation.c_str());
    }
    best_ = std::move(now);
    report_.script.insert(report_.script.end(), wanted.steps.begin(), wanted.steps.end());
    return "";
  }

  bool attempt(const char *step, const Steps &wanted) {
    const std::string why = runAll(wanted);
    if (!why.empty())
      report_.notes.push_back({step, why});
    return why.empty();
  }

  /// Does the same for a requested option.
  bool replace(const char *option, const Steps &wanted) {
    const std::string why = runAll(wanted);
    if (!why.empty())
      refuse(option, why);
    return why.empty();
  }

  /// Replaces the last step by another one, if that applies.
  void again(const Scheduled &whole, const script::Script &before, const char *option,
             const script::Step &step) {
    const Scheduled now = std::exchange(best_, whole);
    const script::Script script = std::exchange(report_.script, before);
    if (replace(option, {{step}, ""}))
      return;
    best_ = now;
    report_.script = script;
  }

  script::Step tasksStep(const std::vector<std::string> &along, const std::string &time) const {
    script::Step step = script::step("tasks", along);
    if (const std::string *grain = asked("grain"))
      script::with(step, "grain", script::number(std::stol(*grain)));
    if (!time.empty())
      script::with(step, "time", script::name(time));
    return step;
  }

  bool findVariable(const std::string &name, VectorForm &form) {
    const auto [names, variables] = pointVariables(best_);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) {
      form.along = variables[static_cast<std::size_t>(at - names.begin())];
      return true;
    }
    refuse("vector", names.empty() ? whyNot("vector") : "its loops over points are " + quoted(names));
    return false;
  }

  /// The step that computes blocks in registers, in the two innermost loops over points.
  Steps registersSteps(const VectorForm &form, bool isAsked) const {
    const RegisterShape shape{};
    const Outcome o = registerTile(best_, isAsked ? &shape : nullptr);
    if (!o.kernel)
      return {{}, o.why};
    if (form.along >= 0 && o.kernel->schedule.registerTile->x != form.along)
      return {{},
              fmt::format("the vectors of its blocks run along `{}`",
                          best_.statements.front().dimensions[o.kernel->schedule.registerTile->x])};
    std::vector<std::string> loops;
    for (const LoopNode &loop : loopsOf(o.kernel->schedule.tree))
      if (loop.how && std::holds_alternative<as::Registers>(*loop.how))
        loops = labelsOf(nestFrom(loop));
    loops.resize(2);
    script::Step step = script::step("registers", loops);
    for (const char *size : {"rows", "vectors", "depth", "columns"})
      if (const long n = number(size))
        script::with(step, size, script::number(n));
    return {{step}, ""};
  }

  bool inRegisters(const VectorForm &form, const std::string *body) {
    if (body && *body != "registers")
      return false;
    const Steps steps = guarded([&] { return registersSteps(form, body != nullptr); });
    if (!(body ? replace("body", steps) : attempt("registers", steps)))
      return false;
    const RegisterTile &tile = *best_.schedule.registerTile;
    set("vector", best_.statements.front().dimensions[tile.x]);
    set("body", "registers");
    const auto used = [&](const char *option) { set(option, asked(option) ? *asked(option) : "auto"); };
    used("rows");
    used("vectors");
    if (!tile.isDeep || tile.panels.empty())
      return true;
    if (tile.resumes)
      used("depth");
    used("columns");
    return true;
  }

  /// The schedule makes no vectors; LLVM may vectorise the loops, which `off` would forbid. Groups of lanes may be
  /// requested where they are possible.
  void leaveToCompiler() {
    set("vector", "auto");
    constexpr long kAnyLanes = 8;
    VectorForm spread;
    spread.lanes = kAnyLanes;
    const Steps steps = guarded([&] { return vectorSteps(best_, spread); });
    if (!steps.steps.empty() && canRun(steps))
      set("lanes", "auto");
  }

  bool canRun(const Steps &steps) const {
    Making trial({best_, {}}, loops_, asked_);
    return trial.runAll(steps).empty();
  }

  void asVectors(bool takesTurns) {
    std::optional<as::Lanes> lanes;
    std::string along;
    bool areRows = false; // a loop over points is inside the vector one (rows_at_once.h)
    for (const LoopNode &loop : loopsOf(best_.schedule.tree)) {
      const bool isVector = loop.how && std::holds_alternative<as::Vector>(*loop.how);
      const auto *found = loop.how ? std::get_if<as::Lanes>(&*loop.how) : nullptr;
      const auto s = static_cast<std::size_t>(statementsBelow(best_, loop).front());
      if (!isVector && !found) {
        areRows = areRows || (lanes && memberDimension(best_, loop.band) < best_.statements[s].freeCount);
        continue;
      }
      along = best_.statements[s].dimensions[static_cast<std::size_t>(memberDimension(best_, loop.band))];
      if (found)
        lanes = *found;
    }
    if (areRows || takesTurns) { // only what is done without being asked for has them
      set("vector", "auto");
      if (takesTurns) {
        attempt("jam", guarded([&] { return jamSteps(best_); }));
        attempt("stream", guarded([&] { return streamSteps(best_); }));
      }
      return;
    }
    set("vector", along);
    set("body", lanes ? "lanes" : "unrolled");
    if (lanes) {
      set("lanes", std::to_string(lanes->count));
      attempt("jam", jamSteps(best_));
      return;
    }
    set("unroll", asked("unroll") ? *asked("unroll") : "auto");
    jamRows();
    attempt("stream", guarded([&] { return streamSteps(best_); }));
  }

  void jamRows() {
    const long rows = number("jam");
    bool isJammed = false;
    if (rows == 0)
      isJammed = attempt("jam", guarded([&] { return jamSteps(best_); }));
    else if (rows > 1)
      isJammed = replace("jam", guarded([&] { return jamSteps(best_, static_cast<int>(rows)); }));
    if (loops_.size() < 2)
      return;
    std::string used = "1";
    for (const LoopNode &loop : loopsOf(best_.schedule.tree))
      if (const auto *found = loop.how ? std::get_if<as::Jam>(&*loop.how) : nullptr; isJammed && found)
        used = std::to_string(found->rows);
    set("jam", used);
  }

  std::string whyNot(const std::string &option) const {
    if (loops_.empty())
      return "it has no loops over points";
    if (option == "order" || option == "tile")
      return best_.schedule.taskOrder == TaskOrder::Wavefront && option == "tile"
                 ? "its tasks are tiles already"
                 : "it has not several loops over points in one nest";
    if (option == "tasks")
      return "its tasks have one direction, or wait for each other";
    if (option == "time_tiles")
      return "its tasks do not go through time";
    if (option == "grain")
      return "no task is cut along the contiguous direction";
    if (std::any_of(best_.statements.begin(), best_.statements.end(),
                    [](const Statement &s) { return s.isOpaque; }))
      return "its body is a call of C++ code";
    if (option == "lanes")
      return "it has no groups of lanes (body = \"lanes\")";
    if (option == "unroll" || option == "jam")
      return loops_.size() < 2 && option == "jam"
                 ? "no loop is around its vector loop"
                 : "it has no vector loop with its body written out (body = \"unrolled\")";
    if (option == "body")
      return "it has no vectors";
    return report_.setting("body") == "registers" ? "no operand of its blocks is copied into panels"
                                                  : "it has no blocks in registers (body = \"registers\")";
  }

  Scheduled best_;
  Report report_;
  const Asked &asked_;
  const std::vector<std::string> loops_;
};

} // namespace

Scheduler::Scheduler(const Scheduled &lifted) : lifted_(withLabels(lifted)) {
  lifted_.schedule.target = Target::Processor;
  check(lifted_, "lift");
}

const Scheduler::Cut &Scheduler::cut(const Asked &asked) {
  std::string key;
  for (const char *option : {"order", "vector", "tasks", "grain", "time_tiles", "tile"})
    if (const auto at = asked.find(option); at != asked.end())
      key += std::string(option) + "=" + at->second + ";";
  if (const auto at = cut_.find(key); at != cut_.end())
    return at->second;
  const std::vector<std::string> loops = labelsOf(pointLoops(lifted_));
  Making making({lifted_, {}}, loops, asked);
  making.order();
  making.tasks();
  making.tiles();
  return cut_.emplace(key, Cut{making.take(), loops}).first->second;
}

Planned Scheduler::schedule(const Asked &asked) {
  if (asked.count("tile") && !asked.count("body") && cut(asked).made.report.setting("tile") != "off") {
    // Blocks in registers have their own tiles and are not given up for others.
    Asked untiled = asked;
    untiled.erase("tile");
    if (Planned made = schedule(untiled); made.report.setting("body") == "registers") {
      made.report.refused.push_back(
          {"tile", "its blocks in registers have tiles of their own (`depth` and `columns`)"});
      return made;
    }
  }
  const Cut &start = cut(asked);
  Making making(start.made, start.loops, asked);
  making.points();
  making.finish();
  return making.take();
}

Planned Scheduler::follow(const script::Script &script) {
  Planned made{lifted_, {}};
  Scheduled &now = made.kernel;
  now.schedule.plain = now.schedule.tree;
  bool isPlain = true; // as long as only loops were ordered, and tasks cut
  for (const script::Step &step : script) {
    StepOutcome outcome = run(step, now);
    if (!outcome.kernel) {
      Planned byDefault = schedule();
      const std::string why =
          fmt::format("`{}` does not apply: {}", script::text(step), outcome.problem.what);
      byDefault.report.refused.push_back({kScriptOption, why, outcome.problem.help, outcome.problem.span});
      return byDefault;
    }
    const Stage stage = findTransformation(step.transformation)->stage;
    isPlain = isPlain && (stage == Stage::Loops || stage == Stage::Tasks);
    now = std::move(*outcome.kernel);
    check(now, step.transformation.c_str());
    if (isPlain)
      now.schedule.plain = now.schedule.tree;
  }
  made.report.script = script;
  return made;
}

std::vector<script::Script> Scheduler::ways(const Scheduled &kernel, std::size_t most) const {
  std::vector<Asked> wanted(1);
  std::string innermost;
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (isOverPoints(kernel, loop)) {
      const auto s = static_cast<std::size_t>(statementsBelow(kernel, loop).front());
      innermost =
          kernel.statements[s].dimensions[static_cast<std::size_t>(memberDimension(kernel, loop.band))];
    }
  if (!innermost.empty())
    wanted.push_back({{"vector", innermost}});
  for (const char *body : {"registers", "unrolled", "lanes"})
    wanted.push_back({{"body", body}});
  wanted.push_back({{"vector", "off"}});
  const std::vector<std::string> loops = labelsOf(pointLoops(lifted_));
  std::vector<script::Script> all;
  for (std::size_t k = 0; k < wanted.size() && all.size() < most; ++k) {
    const Asked asked = wanted[k];
    Making making({kernel, {}}, loops, asked);
    making.points();
    const Report report = making.take().report;
    if (std::find(all.begin(), all.end(), report.script) == all.end())
      all.push_back(report.script);
    if (k == 0 && report.script.empty() &&
        report.setting("lanes") == "auto") // nothing is known of good groups
      for (const long count : findScheduleOption("lanes")->worthTrying)
        wanted.push_back({{"lanes", std::to_string(count)}});
  }
  return all;
}

Planned defaultSchedule(const Scheduled &kernel, const Asked &asked) {
  return Scheduler(kernel).schedule(asked);
}

} // namespace pbc::kernel
