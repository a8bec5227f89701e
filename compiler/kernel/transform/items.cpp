// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/items.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/transform/item_bands.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

constexpr int kBlockAxes = 2;                // along which an item has several points at a time
constexpr int kTurnAxis = 2;                 // along which these come in turns
constexpr std::size_t kMostAxesOfBlocks = 3; // of a machine

/// The functions of these names, in this order; a sentence if there is none of one.
std::string choose(TaskFunctions &functions, const std::vector<std::string> &names) {
  if (names.empty())
    return "";
  if (functions.order != TaskOrder::Any)
    return "its items wait for each other, in rounds that need all directions";
  std::vector<TaskFunction> chosen;
  for (const std::string &name : names) {
    const auto at = std::find_if(functions.functions.begin(), functions.functions.end(),
                                 [&](const TaskFunction &f) { return f.name == name; });
    if (at == functions.functions.end())
      return fmt::format("its points cannot run at once along `{}`", name);
    chosen.push_back(*at);
  }
  functions.functions = std::move(chosen);
  return "";
}

as::Item::Each eachOf(const std::string &word) {
  return word == "block"    ? as::Item::Each::Block
         : word == "run"    ? as::Item::Each::Run
         : word == "planes" ? as::Item::Each::Turn
                            : as::Item::Each::Point;
}

Outcome applyItems(const Scheduled &kernel, const Arguments &arguments) {
  if (std::string why = whyNoItemBands(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  TaskFunctions functions = itemFunctions(kernel);
  if (std::string why = choose(functions, arguments.names("along")); !why.empty())
    return {std::nullopt, std::move(why)};
  Scheduled cut = withParts(kernel, functions);
  const bool inRounds = cut.schedule.taskOrder == TaskOrder::Rounds;
  if (std::string why = whyNoLaunch(kernel, cut); !why.empty())
    return {std::nullopt, std::move(why)};
  // Which items there are is the launch's to say (loop/item_loops.h): only its round limits the points.
  if (inRounds)
    cut = ofOneRound(cut, functions.functions.front());
  const std::vector<TaskFunction> ofItems(functions.functions.begin() + (inRounds ? 1 : 0),
                                          functions.functions.end());
  std::vector<NewLoop> bands;
  for (std::size_t axis = 0; axis < ofItems.size(); ++axis)
    bands.push_back({freshLabel(kernel.schedule.tree, fmt::format("item{}", axis)), ofItems[axis].value,
                     as::Item{static_cast<int>(axis)}});
  if (inRounds)
    bands.push_back({freshLabel(kernel.schedule.tree, "round"), functions.functions.front().value});
  Outcome made = withItemBands(std::move(cut), ofItems, bands);
  return made.kernel ? withEach(*made.kernel, eachOf(arguments.name("each"))) : made;
}

} // namespace

Outcome withEach(const Scheduled &ofPoints, as::Item::Each each) {
  if (each == as::Item::Each::Point)
    return {ofPoints, ""};
  const std::size_t axes = itemLoops(ofPoints.schedule.tree).size();
  if (axes > kMostAxesOfBlocks)
    return {std::nullopt, "its points have more than three coordinates, so that items have one point each"};
  const bool inPlanes = each == as::Item::Each::Turn;
  if (inPlanes && axes <= kTurnAxis)
    return {std::nullopt, fmt::format("its points have {} coordinates, which make no planes", axes)};
  Scheduled made = ofPoints;
  made.schedule.tree = mapBottomUp(ofPoints.schedule.tree, [&](const isl::schedule_node &node) {
    const auto item = realisedAs<as::Item>(node);
    if (!item || (item->axis >= kBlockAxes && !(inPlanes && item->axis == kTurnAxis)))
      return node;
    const isl::schedule_node band = isl::manage(isl_schedule_node_delete(node.copy()));
    const bool isRun = inPlanes && item->axis < kBlockAxes;
    return insertMark(band, as::Item{item->axis, isRun ? as::Item::Each::Run : each});
  });
  return {std::move(made), ""};
}

Transformation itemsTransformation() {
  return {
      .name = "items",
      .doc = "gives the points to the work-items of a device",
      .parameters =
          {{.name = "along",
            .kind = Parameter::Kind::Names,
            .doc =
                "the directions in which there are items, the first one along axis 0; all, if none is named",
            .isOptional = true},
           {.name = "each",
            .kind = Parameter::Kind::Word,
            .doc = "what an item computes: one point, or points in the number that the configuration has: a "
                   "block "
                   "of them that suits the memory of its group, a run of neighbours, or runs in planes, one "
                   "plane after the other",
            .words = {"point", "block", "run", "planes"},
            .isOptional = true}},
      .apply = applyItems,
      .stage = Stage::Tasks,
      .target = Target::Device};
}

} // namespace pbc::kernel
