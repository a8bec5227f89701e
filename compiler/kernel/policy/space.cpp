// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/policy/space.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/policy/vectors.h"
#include "compiler/kernel/transform/open_loops.h"
#include "compiler/kernel/transform/run.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <isl/schedule.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

constexpr std::size_t kMostEditsOfOne = 8, kMostEdits = 48;
const char *const kBody = "body";

Stage stageOf(const script::Step &step) { return findTransformation(step.transformation)->stage; }
bool isOfPoints(const script::Step &step) { return stageOf(step) == Stage::Points; }
bool isOfTasks(const script::Step &step) { return stageOf(step) == Stage::Tasks; }

/// A kernel, and the steps that made it.
struct Trial {
  Scheduled kernel;
  script::Script script;
};

bool addStep(Trial &made, const script::Step &step) {
  StepOutcome outcome = run(step, made.kernel);
  if (!outcome.kernel)
    return false;
  made.kernel = std::move(*outcome.kernel);
  made.script.push_back(step);
  return true;
}

/// The step with what an alternative says of it; what the alternative does not say stays.
script::Step changedBy(const script::Step &step, const script::Step &alternative) {
  script::Step made = alternative;
  made.results = step.results;
  if (!alternative.values.empty())
    return made;
  made.values = step.values;
  const bool saysNothing = alternative.operands.empty() && alternative.named.empty();
  if (alternative.operands.empty() && !saysNothing)
    made.operands = step.operands;
  for (const script::NamedValue &one : step.named)
    if (std::none_of(made.named.begin(), made.named.end(),
                     [&](const script::NamedValue &other) { return other.name == one.name; }))
      made.named.push_back(one);
  std::sort(made.named.begin(), made.named.end(), [&](const auto &a, const auto &b) {
    const std::vector<Parameter> &order = findTransformation(step.transformation)->parameters;
    const auto place = [&](const std::string &name) {
      return std::find_if(order.begin(), order.end(), [&](const Parameter &p) { return p.name == name; });
    };
    return place(a.name) < place(b.name);
  });
  return made;
}

/// Whether the grammar has a spelling for it: variables of bodies may have letters that it does not know.
bool canBeWritten(const script::Script &script) {
  return std::all_of(script.begin(), script.end(), [](const script::Step &step) {
    return std::all_of(step.operands.begin(), step.operands.end(), [](const script::Value &value) {
      const std::string text = script::text(value);
      return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 128; });
    });
  });
}

/// Equal for equal schedules of one kernel. Not print(), which also asks how the dependences can be said.
std::string keyOf(const Schedule &schedule) {
  char *tree = isl_schedule_to_str(schedule.tree.get());
  std::string key = tree;
  std::free(tree);
  for (const TaskDimension &d : schedule.taskDimensions)
    key += fmt::format("; {} {} {} {}", d.name, d.grain, d.slope, d.down);
  if (const auto &tile = schedule.registerTile)
    key += fmt::format("; {} {} {} {}", tile->shape.rows, tile->shape.vectors, tile->shape.depth,
                       tile->shape.columns);
  return key;
}

class EditSearch {
public:
  EditSearch(const Scheduler &scheduler, const script::Script &script, const Machine &machine)
      : scheduler_(scheduler), script_(script), machine_(machine) {}

  Neighbours run() {
    if (!canBeWritten(script_))
      return {};
    states_.push_back({scheduler_.lifted(), {}});
    for (const script::Step &step : script_) {
      Trial next = states_.back();
      if (!addStep(next, step))
        return {};
      states_.push_back(std::move(next));
    }
    schedules_.insert(keyOf(states_.back().kernel.schedule));
    editsOf(Stage::Loops);
    editBody();
    editsOf(Stage::Cuts);
    editsOf(Stage::Points);
    editsOf(Stage::Tasks);
    bringTogether();
    shorten();
    return std::move(found_);
  }

private:
  /// Those about one thing follow its first.
  void bringTogether() {
    std::vector<std::string> order;
    for (const Edit &e : found_.edits)
      if (std::find(order.begin(), order.end(), e.of) == order.end())
        order.push_back(e.of);
    const auto place = [&](const Edit &e) { return std::find(order.begin(), order.end(), e.of); };
    std::stable_sort(found_.edits.begin(), found_.edits.end(),
                     [&](const Edit &a, const Edit &b) { return place(a) < place(b); });
  }

  /// Leaves out the last edits of what has most of them.
  void shorten() {
    while (found_.edits.size() > kMostEdits) {
      std::map<std::string, std::size_t> count;
      std::size_t last = 0;
      for (std::size_t k = 0; k < found_.edits.size(); ++k)
        if (++count[found_.edits[k].of] >= count[found_.edits[last].of])
          last = k;
      found_.edits.erase(found_.edits.begin() + static_cast<std::ptrdiff_t>(last));
    }
  }

  /// Leaves out what takes isl too long. Other loops are cut into tasks again, and there are many of them: they get less.
  void within(const std::function<void()> &f, Stage stage = Stage::Cuts) const {
    constexpr unsigned long kBudget = kDependenceBudget / 20, kOfLoops = kDependenceBudget / 80;
    poly::withBudget(scheduler_.lifted().context.ctx(), stage == Stage::Loops ? kOfLoops : kBudget, f);
  }

  void editsOf(Stage stage) {
    for (const Transformation &t : transformations()) {
      if (t.stage != stage)
        continue;
      bool isUsed = false;
      for (std::size_t k = 0; k < script_.size(); ++k)
        if (script_[k].transformation == t.name) {
          remove(k);
          replace(t, k);
          isUsed = true;
        }
      if (!isUsed)
        insert(t);
    }
  }

  void replace(const Transformation &t, std::size_t at) {
    const script::Step &now = script_[at];
    for (const script::Step &alternative : alternatives(t, states_[at].kernel)) {
      const bool isAbout = alternative.named.size() == 1;
      follow(isAbout ? fmt::format("{} {}", t.name, alternative.named.front().name) : std::string(t.name),
             Edit::Kind::Replace, at, changedBy(now, alternative));
    }
    for (std::size_t k = 0; k < now.named.size(); ++k) {
      script::Step fewer = now;
      fewer.named.erase(fewer.named.begin() + static_cast<std::ptrdiff_t>(k));
      follow(fmt::format("{} {}", t.name, now.named[k].name), Edit::Kind::Replace, at, fewer);
    }
  }

  void remove(std::size_t at) { follow(script_[at].transformation, Edit::Kind::Remove, at, std::nullopt); }

  /// Behind the steps of its stage and of those before.
  void insert(const Transformation &t) {
    std::size_t at = script_.size();
    while (at > 0 && stageOf(script_[at - 1]) > t.stage)
      --at;
    if (t.stage == Stage::Points && !computesPoints(states_[at].kernel))
      return; // editBody() has the ways to do that
    for (const script::Step &step : alternatives(t, states_[at].kernel))
      follow(std::string(t.name), Edit::Kind::Insert, at, step);
  }

  std::vector<script::Step> alternatives(const Transformation &t, const Scheduled &kernel) const {
    std::vector<script::Step> all;
    if (t.alternatives)
      within([&] { all = t.alternatives(kernel, machine_); }, t.stage);
    return all;
  }

  void editBody() {
    within([&] { tryWays(); });
  }

  void tryWays() {
    const auto first = std::find_if(script_.begin(), script_.end(), isOfPoints);
    const auto at = static_cast<std::size_t>(first - script_.begin());
    Trial start = states_[at];
    addThoseThatApply(start, first, script_.end());
    const Edit::Kind kind = first == script_.end() ? Edit::Kind::Insert : Edit::Kind::Replace;
    for (const script::Script &way : scheduler_.ways(start.kernel))
      if (std::optional<Trial> made = with(start, way))
        note(kBody, way.empty() ? Edit::Kind::Remove : kind, at, *made);
    const script::Script scalar = scalarSteps(start.kernel).steps;
    const bool isOpaque = std::any_of(start.kernel.statements.begin(), start.kernel.statements.end(),
                                      [](const Statement &s) { return s.isOpaque; });
    if (std::optional<Trial> made = with(start, scalar);
        made && !isOpaque && made->script != script_ && canBeWritten(made->script))
      found_.withoutVectors = made->script;
  }

  static std::optional<Trial> with(const Trial &start, const script::Script &steps) {
    Trial made = start;
    for (const script::Step &step : steps)
      if (!addStep(made, step))
        return std::nullopt;
    return made;
  }

  /// Takes `step` in place of the one at `at`, or puts it there, and then the steps behind. Where there are other loops, or
  /// the same ones in another order, other steps compute the points.
  void follow(const std::string &of, Edit::Kind kind, std::size_t at,
              const std::optional<script::Step> &step) {
    within([&] { tryEdit(of, kind, at, step); }, stageOf(step ? *step : script_[at]));
  }

  void tryEdit(const std::string &of, Edit::Kind kind, std::size_t at,
               const std::optional<script::Step> &step) {
    Trial start = states_[at];
    if (step && !addStep(start, *step))
      return;
    const auto rest = script_.begin() + static_cast<std::ptrdiff_t>(kind == Edit::Kind::Insert ? at : at + 1);
    const auto points = std::find_if(rest, script_.end(), isOfPoints);
    const std::optional<Trial> same = with(start, script::Script(rest, points));
    const std::optional<Trial> asBefore =
        same ? with(*same, script::Script(points, script_.end())) : std::nullopt;
    if (step ? stageOf(*step) == Stage::Loops : stageOf(script_[at]) == Stage::Loops) {
      if (!same)
        addThoseThatApply(start, rest, points);
      chooseAnew(of, kind, at, same ? *same : start, points);
    }
    if (asBefore)
      note(of, kind, at, *asBefore);
  }

  using Place = script::Script::const_iterator;

  static void addThoseThatApply(Trial &made, Place begin, Place end) {
    for (auto step = begin; step != end; ++step)
      if (!isOfPoints(*step))
        addStep(made, *step);
  }

  /// Computes the points as the policy does; if that is without any steps, or with rows at once (rows_at_once.h), along the innermost loop,
  /// too.
  void chooseAnew(const std::string &of, Edit::Kind kind, std::size_t at, Trial start, Place rest) {
    addThoseThatApply(start, rest, script_.end());
    std::vector<script::Script> ways = scheduler_.ways(start.kernel, 2);
    const script::Script &first = ways.front();
    const bool areRows =
        !first.empty() && first.front().transformation == "lanes" && !first.front().values.empty();
    ways.resize(first.empty() || areRows ? ways.size() : 1);
    for (auto way = ways.rbegin(); way != ways.rend(); ++way)
      if (std::optional<Trial> made = with(start, *way))
        note(of, kind, at, *made);
  }

  void note(const std::string &of, Edit::Kind kind, std::size_t at, const Trial &made) {
    const auto isOfIt = [&](const Edit &e) { return e.of == of; };
    const auto hasTasks = [](const script::Script &s) { return std::any_of(s.begin(), s.end(), isOfTasks); };
    if (!canBeWritten(made.script))
      return;
    if (hasTasks(script_) && !hasTasks(made.script))
      return; // it could use no second core, and how many there will be, no search knows
    if (static_cast<std::size_t>(std::count_if(found_.edits.begin(), found_.edits.end(), isOfIt)) <
            kMostEditsOfOne &&
        schedules_.insert(keyOf(made.kernel.schedule)).second)
      found_.edits.push_back({of, kind, at, made.script});
  }

  const Scheduler &scheduler_;
  const script::Script &script_;
  const Machine &machine_;
  std::vector<Trial> states_;       // before each step, and after the last one
  std::set<std::string> schedules_; // that were found
  Neighbours found_;
};

} // namespace

Neighbours neighbours(const Scheduler &scheduler, const script::Script &script, const Machine &machine) {
  return EditSearch(scheduler, script, machine).run();
}

} // namespace pbc::kernel
