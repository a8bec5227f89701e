// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/tasks.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
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
        return {std::nullopt, fmt::format("its tasks can be cut along {}, each of them once", listed(names))};
  }
  return splitIntoTasks(kernel, cut);
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
      .apply = applyTasks};
}

} // namespace pbc::kernel
