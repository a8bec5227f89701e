// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/tasks.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

Outcome applyTasks(const Scheduled &kernel, const Arguments &arguments) {
  TaskCut cut;
  cut.grain = arguments.number("grain").value_or(0);
  cut.along = arguments.names("along");
  cut.diamonds = arguments.name("time") == "diamonds";
  if (!cut.along.empty()) {
    Outcome all = splitIntoTasks(kernel, {cut.grain, {}, false});
    if (!all.kernel)
      return all;
    std::vector<std::string> names;
    for (const TaskDimension &d : all.kernel->schedule.taskDimensions)
      names.push_back(d.name);
    for (const std::string &name : cut.along)
      if (std::count(names.begin(), names.end(), name) != 1 ||
          std::count(cut.along.begin(), cut.along.end(), name) != 1)
        return {std::nullopt, fmt::format("its tasks can be cut along {}, each of them once", quoted(names))};
  }
  return splitIntoTasks(kernel, cut);
}

/// Whether a script can say it: functions of several variables have no name there.
bool isName(const std::string &text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// All directions, each alone, and where parts begin.
std::vector<script::Step> cutsWorthTrying(const Scheduled &kernel, const Machine &) {
  const Outcome cut = splitIntoTasks(kernel);
  if (!cut.kernel)
    return {};
  const Schedule &made = cut.kernel->schedule;
  std::vector<script::Step> all{script::step("tasks", {})};
  if (made.taskOrder == TaskOrder::Any && made.taskDimensions.size() > 1)
    for (const TaskDimension &d : made.taskDimensions)
      if (isName(d.name))
        all.push_back(script::step("tasks", {d.name}));
  const auto add = [&](const char *name, const script::Value &value) {
    script::Step step = script::step("tasks", {});
    all.push_back(script::with(step, name, value));
  };
  if (std::any_of(made.taskDimensions.begin(), made.taskDimensions.end(),
                  [](const TaskDimension &d) { return d.grain > 1; }))
    for (const long grain : {64L, 1024L, 4096L})
      add("grain", script::number(grain));
  if (made.bytesPerPlace > 0)
    add("time", script::name("diamonds"));
  return all;
}

} // namespace

Transformation tasksTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "tasks",
      .doc = "cuts the points into parts that tasks can run at the same time",
      .parameters =
          {{.name = "along",
            .kind = Kind::Names,
            .doc = "the directions in which tasks are cut; all, if none is named",
            .isOptional = true},
           {.name = "grain",
            .kind = Kind::Integer,
            .doc = "tasks begin at multiples of so many points of the contiguous direction",
            .least = 1,
            .most = 65536,
            .isOptional = true},
           {.name = "time",
            .kind = Kind::Word,
            .doc = "tiles of a stencil in time: all lean the same way and wait for each other, or half of "
                   "them start at once",
            .words = {"parallelograms", "diamonds"},
            .isOptional = true}},
      .apply = applyTasks,
      .stage = Stage::Tasks,
      .target = Target::Processor,
      .alternatives = cutsWorthTrying};
}

} // namespace pbc::kernel
