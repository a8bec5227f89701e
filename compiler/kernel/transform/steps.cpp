// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/steps.h"
#include "compiler/kernel/group_steps.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/item_bands.h"
#include "compiler/kernel/transform/support.h"
#include <fmt/format.h>

namespace pbc::kernel {
namespace {

Outcome applySteps(const Scheduled &kernel, const Arguments &) {
  if (std::string why = whyNoItemBands(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  TaskFunctions functions = itemFunctions(kernel);
  Scheduled cut = withParts(kernel, functions);
  if (std::string why = whyNoLaunch(kernel, cut); !why.empty())
    return {std::nullopt, std::move(why)};
  GroupStepsOutcome found = groupSteps(kernel, functions);
  if (!found.steps)
    return {std::nullopt, std::move(found.why)};
  cut = ofOneRound(cut, functions.functions.front());
  const std::vector<TaskFunction> ofItems(functions.functions.begin() + 1, functions.functions.end());
  std::vector<NewLoop> bands;
  for (std::size_t axis = 0; axis < ofItems.size(); ++axis)
    bands.push_back({freshLabel(kernel.schedule.tree, fmt::format("item{}", axis)), ofItems[axis].value,
                     as::Item{static_cast<int>(axis), as::Item::Each::Point, as::Item::Of::Step}});
  bands.push_back({freshLabel(kernel.schedule.tree, "round"), functions.functions.front().value});
  Outcome made = withItemBands(std::move(cut), ofItems, bands);
  if (made.kernel)
    made.kernel->schedule.steps = std::move(found.steps);
  return made;
}

} // namespace

Transformation stepsTransformation() {
  return {
      .name = "steps",
      .doc =
          "gives several rounds of the points to the groups of one launch, which keep in their memory what "
          "rounds read of each other",
      .parameters = {},
      .apply = applySteps,
      .stage = Stage::Tasks,
      .target = Target::Device};
}

} // namespace pbc::kernel
