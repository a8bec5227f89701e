// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/default_schedule.h"
#include "compiler/kernel/interchange.h"
#include "compiler/kernel/jam.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/register_tile.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/tile.h"
#include "compiler/kernel/time_functions.h"
#include "compiler/kernel/tree.h"
#include "compiler/kernel/vectorise.h"
#include "compiler/kernel/verify.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

/// The free variables of the loops over points, from the outermost one on.
std::vector<int> pointLoops(const Scheduled &kernel) {
  const isl::schedule split = splitBands(kernel.schedule.tree);
  std::vector<int> dimensions;
  isl::schedule_node node = isl::manage(isl_schedule_node_child(isl_schedule_get_root(split.get()), 0));
  while (isBand(node)) {
    const int d = memberDimension(kernel, node);
    const int s = statementIndex(kernel, statementsAt(node).front());
    if (d < 0 || d >= kernel.statements[s].freeCount)
      break;
    dimensions.push_back(d);
    node = isl::manage(isl_schedule_node_child(node.release(), 0));
  }
  return dimensions;
}

/// Whether the outermost band has all loops over points, and there are several: they can be reordered and
/// tiled.
bool isNest(const Scheduled &kernel, const std::vector<int> &loops) {
  const isl::schedule_node node =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.tree.get()), 0));
  return loops.size() > 1 && isBand(node) && members(node) == static_cast<int>(loops.size());
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> namesOf(const Scheduled &kernel, const std::vector<int> &loops) {
  std::vector<std::string> names;
  for (const int d : loops)
    names.push_back(kernel.statements.front().dimensions[d]);
  return names;
}

std::vector<std::string> taskNames(const Scheduled &kernel) {
  std::vector<std::string> names;
  for (const auto &d : kernel.schedule.taskDimensions)
    names.push_back(d.name);
  return names;
}

/// Builds one schedule.
class Making {
public:
  Making(Planned start, std::vector<int> loops, const Asked &asked)
      : best_(std::move(start.kernel)), report_(std::move(start.report)), asked_(asked),
        loops_(std::move(loops)) {}

  Planned take() { return {std::move(best_), std::move(report_)}; }

  void order() {
    const std::vector<std::string> names = namesOf(best_, loops_);
    std::vector<int> order(loops_.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      order[k] = static_cast<int>(k);
    // Dimension 0 is innermost, the last one outermost; a requested vector dimension is always innermost.
    const std::string *vector = asked("vector");
    const auto rank = [&](int k) { return vector && names[k] == *vector ? -1 : loops_[k]; };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) > rank(b); });
    const bool hasChoice = isNest(best_, loops_);
    bool isAsked = false;
    if (const std::string *value = hasChoice ? asked("order") : nullptr) {
      std::vector<int> wanted;
      for (const std::string &name : parts(*value, ','))
        wanted.push_back(static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin()));
      isAsked = std::is_permutation(wanted.begin(), wanted.end(), order.begin(), order.end());
      if (isAsked)
        isAsked = inOrder(wanted, "order");
      else
        refuse("order", "its loops over points are " + listed(names));
    }
    if (!isAsked)
      inOrder(order, nullptr);
    if (hasChoice)
      set("order", listed(namesOf(best_, pointLoops(best_))));
  }

  void tasks() {
    TaskCut wanted;
    if (const std::string *grain = asked("grain"))
      wanted.grain = std::stol(*grain);
    const Scheduled whole = best_;
    const bool isCut = attempt("splitIntoTasks", [&] { return splitIntoTasks(best_, wanted); });
    const auto &dimensions = best_.schedule.taskDimensions;
    const bool hasChoice = isCut && best_.schedule.taskOrder == TaskOrder::Any && dimensions.size() > 1;
    if (const std::string *value = hasChoice ? asked("tasks") : nullptr) {
      const std::vector<std::string> names = taskNames(best_);
      wanted.along = parts(*value, ',');
      if (!std::all_of(wanted.along.begin(), wanted.along.end(), [&](const std::string &name) {
            return std::count(names.begin(), names.end(), name) == 1 &&
                   std::count(wanted.along.begin(), wanted.along.end(), name) == 1;
          }))
        refuse("tasks", "its tasks can be cut along " + listed(names) + ", each of them once");
      else
        replace("tasks", [&] { return splitIntoTasks(whole, wanted); });
    }
    if (hasChoice)
      set("tasks", listed(taskNames(best_)));
    if (best_.schedule.bytesPerPlace)
      timeTiles(whole, wanted);
    for (const auto &d : best_.schedule.taskDimensions)
      if (d.grain > 1)
        set("grain", std::to_string(d.grain));
    best_.schedule.plain = best_.schedule.tree;
  }

  void tiles() {
    if (!isNest(best_, loops_) || best_.schedule.taskOrder == TaskOrder::Wavefront)
      return; // the runtime tiles wavefronts
    std::string used = "off";
    if (const std::string *value = asked("tile"); value && *value != "off") {
      std::vector<long> sizes;
      for (const std::string &part : parts(*value, 'x'))
        sizes.push_back(part.empty() || part.size() > 9 ||
                                part.find_first_not_of("0123456789") != std::string::npos
                            ? -1
                            : std::stol(part));
      if (replace("tile", [&] { return tile(best_, sizes); }))
        used = *value;
    }
    set("tile", used);
  }

  /// Long bodies are computed in blocks of points; short ones LLVM unrolls into a vector loop.
  void points() {
    const std::string *vector = asked("vector"), *body = asked("body");
    const bool isOpaque = std::any_of(best_.statements.begin(), best_.statements.end(),
                                      [](const Statement &s) { return s.isOpaque; });
    if (vector && *vector == "off" && !isOpaque && !loops_.empty()) {
      replace("vector", [&] { return keepScalar(best_); });
      set("vector", "off");
      return;
    }
    VectorForm form;
    form.unroll = static_cast<int>(number("unroll"));
    form.lanes = number("lanes");
    const bool isVariable = vector && *vector != "auto" && findVariable(*vector, form);
    if (inRegisters(form, body))
      return;
    if (body && *body != "registers")
      form.body = *body == "lanes" ? VectorForm::Body::Lanes : VectorForm::Body::Unrolled;
    const VectorForm byDefault{-1, VectorForm::Body::Any, form.unroll, form.lanes};
    bool isDone = false;
    if (isVariable || form.body != VectorForm::Body::Any)
      isDone = replace(isVariable && form.body == VectorForm::Body::Any ? "vector" : "body",
                       [&] { return vectorise(best_, form); });
    if (isDone || attempt("vectorise", [&] { return vectorise(best_, byDefault); }))
      asVectors();
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

  /// A step that exceeds isl's budget does not apply.
  static Outcome guarded(const std::function<Outcome()> &f) {
    try {
      return f();
    } catch (const isl::exception &) {
      return {std::nullopt, "it would take too long to find out whether it applies"};
    }
  }

  bool attempt(const char *step, const std::function<Outcome()> &f) {
    Outcome o = guarded(f);
    const bool applies = o.kernel.has_value();
    if (applies)
      best_ = std::move(*o.kernel);
    else
      report_.notes.push_back({step, o.why});
    check(best_, step);
    return applies;
  }

  /// Does the same for a requested option.
  bool replace(const char *option, const std::function<Outcome()> &f) {
    Outcome o = guarded(f);
    if (!o.kernel) {
      refuse(option, o.why);
      return false;
    }
    best_ = std::move(*o.kernel);
    check(best_, option);
    return true;
  }

  /// `option`: the option that requests it; null: the default.
  bool inOrder(const std::vector<int> &order, const char *option) {
    if (std::is_sorted(order.begin(), order.end()))
      return true;
    const auto change = [&] { return interchange(best_, order); };
    return option ? replace(option, change) : attempt("interchange", change);
  }

  void timeTiles(const Scheduled &whole, TaskCut cut) {
    const std::string *value = asked("time_tiles");
    cut.diamonds = true;
    if (value && *value == "diamonds")
      replace("time_tiles", [&] { return splitIntoTasks(whole, cut); });
    set("time_tiles", hasDiamonds(best_) ? "diamonds" : "parallelograms");
  }

  bool findVariable(const std::string &name, VectorForm &form) {
    // Rules that run one after the other inside a common loop have their other loops in no nest.
    std::vector<int> variables = loops_;
    for (int d = 0; !best_.statements.empty() && d < best_.statements.front().freeCount; ++d)
      if (std::find(loops_.begin(), loops_.end(), d) == loops_.end())
        variables.push_back(d);
    const std::vector<std::string> names = namesOf(best_, variables);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) {
      form.along = variables[static_cast<std::size_t>(at - names.begin())];
      return true;
    }
    refuse("vector", names.empty() ? whyNot("vector") : "its loops over points are " + listed(names));
    return false;
  }

  bool inRegisters(const VectorForm &form, const std::string *body) {
    if (body && *body != "registers")
      return false;
    const RegisterShape shape{static_cast<int>(number("rows")), static_cast<int>(number("vectors")),
                              number("depth"), number("columns")};
    const auto block = [&]() -> Outcome {
      Outcome o = registerTile(best_, body ? &shape : nullptr);
      if (o.kernel && form.along >= 0 && o.kernel->schedule.registerTile->x != form.along)
        return {std::nullopt, "vectors of blocks run along what is contiguous"};
      return o;
    };
    if (!(body ? replace("body", block) : attempt("registerTile", block)))
      return false;
    RegisterTile &tile = *best_.schedule.registerTile;
    tile.shape = shape;
    set("vector", best_.statements.front().dimensions[tile.x]);
    set("body", "registers");
    const auto used = [&](const char *option) { set(option, asked(option) ? *asked(option) : "auto"); };
    used("rows");
    used("vectors");
    if (!tile.isDeep || tile.panels.empty())
      return true;
    if (tile.resumed >= 0)
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
    if (guarded([&] { return vectorise(best_, spread); }).kernel)
      set("lanes", "auto");
  }

  void asVectors() {
    std::optional<as::Lanes> lanes;
    int x = -1;
    visit(isl::manage(isl_schedule_get_root(best_.schedule.tree.get())), [&](const isl::schedule_node &node) {
      const std::optional<Mark> mark = markAt(node);
      if (!realisedAs<as::Vector>(mark) && !realisedAs<as::Lanes>(mark))
        return;
      x = memberDimension(best_, isl::manage(isl_schedule_node_get_child(node.get(), 0)));
      if (const auto found = realisedAs<as::Lanes>(mark))
        lanes = found;
    });
    set("vector", best_.statements.front().dimensions[static_cast<std::size_t>(x)]);
    set("body", lanes ? "lanes" : "unrolled");
    if (lanes) {
      set("lanes", std::to_string(lanes->count));
      attempt("jam", [&] { return jam(best_); });
      return;
    }
    set("unroll", asked("unroll") ? *asked("unroll") : "auto");
    jamRows();
  }

  void jamRows() {
    const long rows = number("jam");
    bool isJammed = false;
    if (rows == 0)
      isJammed = attempt("jam", [&] { return jam(best_); });
    else if (rows > 1)
      isJammed = replace("jam", [&] { return jam(best_, static_cast<int>(rows)); });
    if (loops_.size() < 2)
      return;
    std::string used = "1";
    visit(isl::manage(isl_schedule_get_root(best_.schedule.tree.get())), [&](const isl::schedule_node &node) {
      if (const auto found = realisedAs<as::Jam>(node); isJammed && found)
        used = std::to_string(found->rows);
    });
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
  const std::vector<int> loops_; // free variables
};

} // namespace

Scheduler::Scheduler(Scheduled lifted) : lifted_(std::move(lifted)) { check(lifted_, "lift"); }

const Scheduler::Cut &Scheduler::cut(const Asked &asked) {
  std::string key;
  for (const char *option : {"order", "vector", "tasks", "grain", "time_tiles", "tile"})
    if (const auto at = asked.find(option); at != asked.end())
      key += std::string(option) + "=" + at->second + ";";
  if (const auto at = cut_.find(key); at != cut_.end())
    return at->second;
  const std::vector<int> loops = pointLoops(lifted_);
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

Planned defaultSchedule(const Scheduled &kernel, const Asked &asked) {
  return Scheduler(kernel).schedule(asked);
}

} // namespace pbc::kernel
