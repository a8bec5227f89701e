// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/devices.h"
#include "compiler/emit/initialiser.h"
#include "compiler/emit/parts.h"
#include "compiler/emit/placements.h"
#include "compiler/emit/row_turns.h"
#include "compiler/emit/through_tiles.h"
#include "compiler/emit/version_guards.h"
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace pbc::emit {

namespace {

const char *taskOrder(kernel::TaskOrder order) {
  switch (order) {
  case kernel::TaskOrder::Any:
    return "Any";
  case kernel::TaskOrder::Wavefront:
    return "Wavefront";
  case kernel::TaskOrder::Rounds:
    return "Rounds";
  }
  return "";
}

/// Prints the functions and tables of a transform's plans. A step that is a kernel is a row of a table that
/// the runtime walks; only steps that call transforms are statements, in pb_run and in the entry's coroutine.
/// Kernels that several plans share are printed once.
class PlanPrinter {
public:
  explicit PlanPrinter(const Scope &scope)
      : scope_(scope), t_(scope.transform), guards_(guardsOf(scope)), kernels_(*scope.kernels),
        devices_(scope) {}

  PlanTexts print() {
    const auto &plans = scope_.input.plans[t_.index].plans;
    const bool loopsOnly = std::all_of(plans.begin(), plans.end(), [](const schedule::Plan &plan) {
      return std::none_of(plan.steps.begin(), plan.steps.end(),
                          [](const auto &s) { return s.callsTransforms; });
    });
    std::string table, here, tasks;
    bool isTableUsed = loopsOnly;
    for (std::size_t k = 0; k < plans.size(); ++k) {
      const StepsInOrder ordered = inLevels(plans[k], scope_.input.turnsOf(t_.index, k));
      loopTable(k, plans[k], ordered);
      const std::string allocate = allocation(std::to_string(k), plans[k], {});
      const std::string tiles = planInTiles(k, plans[k], ordered);
      table += tableRow({{"allocate", allocate.empty() ? "nullptr" : allocate},
                         {"steps", ordered.loops ? fmt::format("pb_loops_{}", k) : "nullptr"},
                         {"count", ordered.loops},
                         {"inTiles", tiles.empty() ? "nullptr" : "&" + tiles}});
      if (loopsOnly)
        continue;
      if (!tiles.empty()) {
        isTableUsed = true;
        here += fmt::format("  case {}: // {}\n  pb::runPlanHere(&pb_f, pb_plans);\n  break;\n", k,
                            plans[k].alternative);
        tasks += fmt::format("  case {}: // {}\n  co_await pb::runPlan(&pb_f, pb_plans);\n  break;\n", k,
                             plans[k].alternative);
        continue;
      }
      const std::string begin =
          fmt::format("  case {}: {{ // {}\n  {}\n", k, plans[k].alternative, parameterDefinitions(scope_)) +
          (allocate.empty() ? "" : fmt::format("  {}(&pb_f);\n", allocate));
      here += begin + statements(k, plans[k], ordered, false) + "  break;\n  }\n";
      tasks += begin + statements(k, plans[k], ordered, true) + "  break;\n  }\n";
    }
    const std::string whole = devices_.ofTransform();
    std::string out = kernels_.text() + devices_.text() + functions_;
    if (isTableUsed)
      out += "static const pb::LoopPlan pb_plans[] = {\n" + table + "};\n\n";
    if (loopsOnly)
      return {out, "", true, whole};
    return {out + fmt::format("static void pb_run({} &pb_f) {{\n  switch (pb_f.choice) {{\n{}  }}\n}}\n\n",
                              scope_.frame(), here),
            "  switch (pb_f.choice) {\n" + tasks + "  }\n", false, whole};
  }

private:
  const std::optional<kernel::Scheduled> &kernelOf(std::size_t plan, std::size_t step) const {
    return scope_.input.kernels[t_.index][plan][step];
  }

  /// The function of a step's kernel.
  const std::string &kernelName(const kernel::Scheduled &k, std::size_t plan) {
    return kernels_.name(k, mayShareViews(scope_, plan));
  }

  /// Name of the function that makes the plan's temporaries: `through` matrices that one of its steps writes,
  /// without those that exist only in tiles.
  std::string allocation(const std::string &number, const schedule::Plan &plan,
                         const std::set<int> &inTiles) {
    std::vector<bool> written(t_.matrices.size(), false);
    for (const auto &step : plan.steps)
      for (const auto &use : step.uses)
        for (const auto &o : t_.rules[use.rule].outputs)
          written[o.matrix] = true;
    std::string body;
    for (std::size_t m = 0; m < t_.matrices.size(); ++m) {
      if (t_.matrices[m].role != sema::Role::Through || !written[m] || inTiles.count(static_cast<int>(m)))
        continue;
      std::string sizes;
      for (const auto &e : t_.matrices[m].extents)
        sizes += (sizes.empty() ? "" : ", ") + e.cxx;
      body += fmt::format("  pb_f.m_{} = {}::{}({});\n", poly::mangle(t_.matrices[m].name),
                          regionType(t_.matrices[m].element, t_.matrices[m].rank(), false),
                          scope_.input.takesPointers ? "allocate" : "allocateApart", sizes);
    }
    if (body.empty())
      return "";
    const std::string name = fmt::format("pb_allocate_{}", number);
    functions_ +=
        fmt::format("PB_SMALL static void {}(pb::Frame *pb_p) {{\n  {} &pb_f = *static_cast<{} *>(pb_p);\n  "
                    "{}\n{}}}\n\n",
                    name, scope_.frame(), scope_.frame(), parameterDefinitions(scope_), body);
    return name;
  }

  /// Name of the function that gives the box over which a kernel's tasks go.
  std::string boxFunction(const kernel::Scheduled &k) {
    if (k.schedule.taskDimensions.empty())
      return "nullptr";
    std::string box;
    int d = 0;
    for (const auto &dimension : k.schedule.taskDimensions) {
      box += fmt::format("  pb_box->low[{0}] = {1};\n  pb_box->high[{0}] = {2};\n", d,
                         poly::cxx(dimension.low), poly::cxx(dimension.high));
      ++d;
    }
    const auto [at, isNew] = boxNames_.emplace(box, fmt::format("pb_box_{}", boxNames_.size()));
    if (isNew)
      functions_ += fmt::format("PB_SMALL static void {0}(const pb::Frame *pb_p, pb::Box *pb_box) {{\n"
                                "  [[maybe_unused]] const {1} &pb_f = *static_cast<const {1} *>(pb_p);\n"
                                "  {2}\n  pb_box->rank = {3};\n{4}}}\n\n",
                                at->second, scope_.frame(), parameterDefinitions(scope_), d, box);
    return at->second;
  }

  /// Name of the table that describes how a stencil moves in time; "" for other kernels.
  std::string timeShape(const kernel::Scheduled &k) {
    if (!k.schedule.bytesPerPlace)
      return "";
    std::string places, along, slopes;
    long diamond = -1, down = 0;
    for (const auto &d : k.schedule.taskDimensions) {
      const std::string comma = places.empty() ? "" : ", ";
      places += comma + (d.isPlace ? "true" : "false");
      along += comma + std::to_string(d.along);
      slopes += comma + std::to_string(d.slope);
      if (d.down)
        diamond = &d - k.schedule.taskDimensions.data(), down = d.down;
    }
    const std::string shape = initialiser({{"bytes", k.schedule.bytesPerPlace},
                                           {"isPlace", "{" + places + "}"},
                                           {"along", "{" + along + "}"},
                                           {"slope", "{" + slopes + "}"},
                                           {"diamond", diamond},
                                           {"down", down}});
    const auto [at, isNew] = shapeNames_.emplace(shape, fmt::format("pb_time_{}", shapeNames_.size()));
    if (isNew)
      functions_ += fmt::format("static const pb::TimeShape {} = {};\n\n", at->second, shape);
    return at->second;
  }

  /// The optional fields of a row of a table of loops: names of tables, "" for none.
  struct Special {
    bool copies = false;
    std::string time, through, device, versions;
    unsigned long made = 0;            // LoopStep::made
    std::string when = {}, turns = {}; // LoopStep::when, the name of its turns
  };

  /// Only the processor for which the C++ is compiled determines the number of rows of a block in registers.
  static std::string grainText(const kernel::Scheduled &kernel, const kernel::TaskDimension &dimension) {
    const auto &tile = kernel.schedule.registerTile;
    const auto &variables = kernel.statements.front().dimensions;
    if (!tile || dimension.grain > 1 || dimension.name != variables[static_cast<std::size_t>(tile->y)])
      return std::to_string(dimension.grain);
    const int scalars = std::max(1, tile->scalars);
    const kernel::RegisterShape &shape = tile->shape;
    return shape.rows || shape.vectors
               ? fmt::format("pb::tileGrain({}, {}, {})", scalars, shape.rows, shape.vectors)
               : fmt::format("pb::tileGrain({})", scalars);
  }

  std::string loopLine(const kernel::Scheduled &kernel, const std::string &function, std::size_t level,
                       const Special &special) {
    std::string grain;
    for (const auto &d : kernel.schedule.taskDimensions)
      grain += (grain.empty() ? "" : ", ") + grainText(kernel, d);
    const auto pointer = [](const std::string &name) { return name.empty() ? name : "&" + name; };
    return tableRow({{"box", boxFunction(kernel)},
                     {"kernel", function},
                     {"grain", "{" + grain + "}"},
                     {"level", level},
                     {"order", fmt::format("pb::LoopOrder::{}", taskOrder(kernel.schedule.taskOrder))},
                     {"copies", special.copies ? "true" : ""},
                     {"time", pointer(special.time)},
                     {"through", pointer(special.through)},
                     {"device", pointer(special.device)},
                     {"versions", pointer(special.versions)},
                     {"made", special.made ? std::to_string(special.made) : ""},
                     {"when", special.when},
                     {"turns", pointer(special.turns)}});
  }

  static bool copies(const kernel::Scheduled &kernel) {
    return kernel.schedule.registerTile && !kernel.schedule.registerTile->panels.empty();
  }

  /// Name of the table of the other schedules of a step's loops; "" if there are none.
  std::string versions(std::size_t plan, std::size_t step) {
    std::string rows;
    bool isGuarded = false;
    const std::vector<Version> &all = scope_.input.versionsOf(t_.index, plan, step);
    for (const Version &version : all) {
      const kernel::Scheduled &kernel = version.kernel ? *version.kernel : *kernelOf(plan, step);
      const std::vector<script::Condition> guards =
          version.kernel ? version.guards : std::vector<script::Condition>{};
      isGuarded |= !guards.empty();
      rows += loopLine(kernel, kernelName(kernel, plan), 0,
                       {copies(kernel), timeShape(kernel), "", "", "", 0, guard(guards)});
    }
    if (rows.empty())
      return "";
    const std::string name = schedule::stepName(t_, scope_.input.plans[t_.index].plans[plan].steps[step]);
    const std::size_t place = devices_.placeOf(name) * static_cast<std::size_t>(t_.binCount());
    const std::size_t number = versionNames_.size();
    const auto [at, isNew] =
        versionNames_.emplace(fmt::format("{}\n{}", place, rows), fmt::format("pb_versions_{}", number));
    if (isNew)
      functions_ += fmt::format(
          "/// {0}\nstatic const pb::LoopStep pb_loops_of_versions_{1}[] = {{\n{2}}};\n\n"
          "static const pb::LoopVersions pb_versions_{1} = {3};\n\n",
          name, number, rows,
          initialiser({{"placement", fmt::format("{}.own + {}", placementSlot(scope_, "place"), place)},
                       {"steps", fmt::format("pb_loops_of_versions_{}", number)},
                       {"count", all.size()},
                       {"guarded", isGuarded ? guardedMatrices() : ""}}));
    return at->second;
  }

  /// Name of the function that checks whether all of these hold; "" for none.
  std::string guard(const std::vector<script::Condition> &conditions) {
    if (conditions.empty())
      return "";
    std::vector<std::ptrdiff_t> numbers;
    for (const script::Condition &condition : conditions)
      numbers.push_back(std::find(guards_.begin(), guards_.end(), condition) - guards_.begin());
    const auto [at, isNew] =
        guardNames_.emplace(std::move(numbers), fmt::format("pb_guard_{}", guardNames_.size()));
    if (isNew)
      functions_ += guardFunction(scope_, at->second, conditions, guards_);
    return at->second;
  }

  /// The address of a table of what guards read; "" in a program without anything for devices.
  std::string guardedMatrices() {
    if (!guardedMatrices_)
      guardedMatrices_ = devices_.ofInputs(matricesOf(t_, guards_));
    return guardedMatrices_->empty() ? "" : "&" + *guardedMatrices_;
  }

  /// The `through` matrices of the step's table for devices that the step both reads and writes, and that no
  /// step before or beside it writes. An output may keep what the caller had put there.
  unsigned long madeBy(std::size_t number, std::size_t step, const StepsInOrder &ordered) const {
    if (!scope_.input.devices)
      return 0;
    const auto &device = (*scope_.input.devices)[t_.index][number][step];
    if (!device || !device->items)
      return 0;
    const std::vector<schedule::Step> &steps = scope_.input.plans[t_.index].plans[number].steps;
    const auto writes = [&](const schedule::Step &s, int matrix) {
      return std::any_of(s.uses.begin(), s.uses.end(), [&](const schedule::RuleUse &use) {
        const auto &outputs = t_.rules[static_cast<std::size_t>(use.rule)].outputs;
        return std::any_of(outputs.begin(), outputs.end(),
                           [&](const sema::Binding &b) { return b.matrix == matrix; });
      });
    };
    unsigned long made = 0;
    for (std::size_t k = 0; k < device->touched.size() && k < 64; ++k) {
      const kernel::Touched &touched = device->touched[k];
      bool isMade = touched.read && touched.written &&
                    t_.matrices[static_cast<std::size_t>(touched.matrix)].role == sema::Role::Through;
      for (std::size_t s = 0; isMade && s < steps.size(); ++s)
        isMade = s == step || ordered.levelOf[s] > ordered.levelOf[step] || !writes(steps[s], touched.matrix);
      made |= static_cast<unsigned long>(isMade) << k;
    }
    return made;
  }

  /// `turns`: the name of the table of the turns that begin with the step.
  std::string loopLine(std::size_t number, std::size_t step, const StepsInOrder &ordered,
                       const std::string &turns = "") {
    const std::size_t level = ordered.levelOf[step];
    const kernel::Scheduled &kernel = *kernelOf(number, step);
    const std::string &function = kernelName(kernel, number);
    const std::string time = timeShape(kernel);
    return loopLine(kernel, function, level,
                    {copies(kernel), time, "", devices_.ofStep(number, step), versions(number, step),
                     madeBy(number, step, ordered), "", turns});
  }

  /// Name of the table of steps that take rows in turn.
  std::string rowTurns(std::size_t number, const kernel::TurnGroup &group) {
    std::vector<TurnNames> names;
    for (const kernel::RowTurn &turn : group.turns) {
      const kernel::Scheduled &kernel = kernelOfTurn(scope_, number, turn);
      names.push_back({kernelName(kernel, number), boxFunction(kernel)});
    }
    const std::size_t count = turnNames_.size();
    const auto [at, isNew] =
        turnNames_.emplace(rowTurnsRows(group, names), fmt::format("pb_turns_{}", count));
    if (isNew)
      functions_ += rowTurnsTable(scope_, group, at->first, at->second);
    return at->second;
  }

  void loopTable(std::size_t number, const schedule::Plan &plan, const StepsInOrder &ordered) {
    std::map<std::size_t, std::string> turns; // by the first step
    for (const kernel::TurnGroup &group : scope_.input.turnsOf(t_.index, number))
      turns.emplace(group.turns.front().step, rowTurns(number, group));
    std::string lines;
    for (const std::size_t s : ordered.steps)
      if (!plan.steps[s].callsTransforms)
        lines += loopLine(number, s, ordered, turns[s]);
    if (!lines.empty())
      functions_ += fmt::format("/// {}\nstatic const pb::LoopStep pb_loops_{}[] = {{\n{}}};\n\n",
                                plan.alternative, number, lines);
  }

  /// Name of the same plan with its groups in tiles; "" if it has none, or calls transforms.
  std::string planInTiles(std::size_t number, const schedule::Plan &plan, const StepsInOrder &ordered) {
    const auto &groups = scope_.input.fusions[t_.index][number].groups;
    if (groups.empty() || static_cast<std::size_t>(ordered.loops) != plan.steps.size())
      return "";
    StepNames names;
    for (std::size_t s = 0; s < plan.steps.size(); ++s) {
      names.kernels.push_back(kernelName(*kernelOf(number, s), number));
      names.boxes.push_back(boxFunction(*kernelOf(number, s)));
      names.taskDimensions.push_back(kernelOf(number, s)->schedule.taskDimensions.size());
      names.again.push_back(readByAllRows(*kernelOf(number, s)));
    }
    std::set<int> matrices, producers;
    std::map<std::size_t, ThroughTilesText> tiles; // by the consumer
    for (const kernel::TileGroup &g : groups) {
      matrices.insert(g.matrices.begin(), g.matrices.end());
      for (const auto &p : g.producers)
        producers.insert(p.step);
      const ThroughTilesText text = throughTiles(scope_, g, names, groupCount_++);
      functions_ += text.functions;
      tiles.emplace(g.consumer, text);
    }
    std::string lines;
    for (const std::size_t s : ordered.steps)
      if (const auto tile = tiles.find(s); tile != tiles.end())
        lines += loopLine(*kernelOf(number, s), tile->second.kernel, ordered.levelOf[s],
                          {false, "", tile->second.table, "", ""});
      else if (!producers.count(static_cast<int>(s)))
        lines += loopLine(number, s, ordered);
    const std::string name = fmt::format("pb_in_tiles_{}", number);
    const std::string allocate = allocation(fmt::format("tiles_{}", number), plan, matrices);
    functions_ += fmt::format("static const pb::LoopStep pb_loops_tiles_{0}[] = {{\n{1}}};\n\n"
                              "static const pb::LoopPlan {2} = {{{3}, pb_loops_tiles_{0}, {4}}};\n\n",
                              number, lines, name, allocate.empty() ? "nullptr" : allocate,
                              plan.steps.size() - producers.size());
    return name;
  }

  /// The plan as statements: sequences of loops as sections of its table, steps that call transforms point by
  /// point.
  std::string statements(std::size_t number, const schedule::Plan &plan, const StepsInOrder &ordered,
                         bool parallel) {
    std::string out;
    int loop = 0; // position in the table
    const auto isCall = [&](std::size_t at) { return plan.steps[ordered.steps[at]].callsTransforms; };
    const auto endOfLevel = [&](std::size_t at) {
      const std::size_t level = ordered.levelOf[ordered.steps[at]];
      while (at < ordered.steps.size() && ordered.levelOf[ordered.steps[at]] == level)
        ++at;
      return at;
    };
    const auto callsBetween = [&](std::size_t begin, std::size_t end) {
      int calls = 0;
      for (; begin < end; ++begin)
        calls += isCall(begin) ? 1 : 0;
      return calls;
    };
    for (std::size_t i = 0; i < ordered.steps.size();) {
      // A level with calls runs by itself, with its loops as one more job; consecutive levels of loops run
      // together.
      std::size_t end = endOfLevel(i);
      const int calls = callsBetween(i, end);
      while (calls == 0 && end < ordered.steps.size() && callsBetween(end, endOfLevel(end)) == 0)
        end = endOfLevel(end);
      const int loops = static_cast<int>(end - i) - calls;
      const std::string table = fmt::format("(&pb_f, pb_loops_{} + {}, {})", number, loop, loops);
      loop += loops;
      const bool sideBySide = parallel && calls + (loops > 0) > 1;
      if (sideBySide)
        out += "  {\n  pb::SpawnScope pb_steps;\n";
      if (loops > 0)
        out += fmt::format(fmt::runtime(!parallel    ? "  pb::runLoopsHere{};\n"
                                        : sideBySide ? "  pb_steps.spawn(pb::runLoops{});\n"
                                                     : "  co_await pb::runLoops{};\n"),
                           table);
      for (; i < end; ++i)
        if (isCall(i))
          out += sideBySide
                     ? fmt::format("  pb_steps.spawn({}(pb_f));\n", stepCoroutine(number, ordered.steps[i]))
                     : (parallel ? toHost(number, ordered.steps[i]) : "") +
                           pointLoops(scope_, plan.steps[ordered.steps[i]], parallel);
      if (sideBySide)
        out += "  co_await pb_steps.sync();\n  }\n";
    }
    return out;
  }

  /// A statement that waits for what a step's bodies may read; "" if they access nothing, and in a program
  /// without code for devices.
  std::string toHost(std::size_t plan, std::size_t step) {
    if (onlyPasses(scope_, scope_.input.plans[t_.index].plans[plan].steps[step]))
      return "";
    const std::string table = devices_.ofStep(plan, step);
    return table.empty() ? "" : fmt::format("  co_await pb::toHost(&pb_f, &{});\n", table);
  }

  /// A step that calls transforms as a coroutine of its own, which can run beside others.
  std::string stepCoroutine(std::size_t plan, std::size_t step) {
    const std::string name = fmt::format("pb_step_{}_{}", plan, step);
    functions_ += fmt::format("PB_SMALL static pb::Job {}({} &pb_f) {{\n  {}\n{}{}  co_return;\n}}\n\n", name,
                              scope_.frame(), parameterDefinitions(scope_), toHost(plan, step),
                              pointLoops(scope_, scope_.input.plans[t_.index].plans[plan].steps[step], true));
    return name;
  }

  const Scope &scope_;
  const sema::Transform &t_;
  const std::vector<script::Condition> guards_;
  std::optional<std::string> guardedMatrices_;
  std::map<std::string, std::string> boxNames_, shapeNames_, versionNames_, turnNames_;
  std::map<std::vector<std::ptrdiff_t>, std::string> guardNames_; // by the conditions' numbers
  KernelFunctions &kernels_;
  std::string functions_;
  std::size_t groupCount_ = 0;
  DeviceTables devices_;
};

} // namespace

bool goesThroughTime(const Scope &scope) {
  const auto &plans = scope.input.kernels[scope.transform.index];
  for (std::size_t p = 0; p < plans.size(); ++p)
    for (std::size_t s = 0; s < plans[p].size(); ++s) {
      const std::vector<Version> &versions = scope.input.versionsOf(scope.transform.index, p, s);
      const auto isThroughTime = [](const Version &v) {
        return v.kernel && v.kernel->schedule.bytesPerPlace;
      };
      if ((plans[p][s] && plans[p][s]->schedule.bytesPerPlace) ||
          std::any_of(versions.begin(), versions.end(), isThroughTime))
        return true;
    }
  return false;
}

bool hasThroughTiles(const Scope &scope) {
  const std::size_t t = static_cast<std::size_t>(scope.transform.index);
  const auto &plans = scope.input.plans[t].plans;
  for (std::size_t k = 0; k < plans.size(); ++k)
    if (!scope.input.fusions[t][k].groups.empty() &&
        std::none_of(plans[k].steps.begin(), plans[k].steps.end(),
                     [](const schedule::Step &s) { return s.callsTransforms; }))
      return true;
  return false;
}

PlanTexts plans(const Scope &scope) { return PlanPrinter(scope).print(); }

} // namespace pbc::emit
