// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/item_bands.h"
#include "compiler/kernel/items.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// Without the loops that have one iteration for each item.
isl::schedule withoutSingleLoops(isl::schedule tree, const std::vector<TaskFunction> &functions) {
  const auto isOfItem = [&](const LoopNode &loop) {
    const isl::union_set here = isl::manage(isl_schedule_node_get_domain(loop.band.get()));
    const isl::union_pw_aff own = member(loop.band, 0);
    // The instances for which both are the same: one equation for each statement, where two maps would have all pieces of the borders.
    return std::any_of(functions.begin(), functions.end(), [&](const TaskFunction &f) {
      return here.is_subset(
          isl::manage(isl_union_pw_aff_zero_union_set(isl_union_pw_aff_sub(own.copy(), f.value.copy()))));
    });
  };
  for (;;) {
    const std::vector<LoopNode> loops = loopsOf(tree);
    const auto at = std::find_if(loops.begin(), loops.end(), isOfItem);
    if (at == loops.end())
      return tree;
    tree = isl::manage(isl_schedule_node_get_schedule(removeLoop(*at).get()));
  }
}

} // namespace

std::string whyNoItemBands(const Scheduled &kernel) {
  if (!kernel.schedule.taskDimensions.empty())
    return "its points belong to tasks or items already";
  for (const LoopNode &loop : loopsOf(kernel.schedule.tree))
    if (loop.how)
      return alreadyRealised(loop);
  return whyNoItems(kernel).why;
}

Scheduled ofOneRound(const Scheduled &cut, const TaskFunction &round) {
  Scheduled one = cut;
  const isl::set value(cut.context.ctx(), "[pb__low0, pb__high0] -> { : pb__high0 = pb__low0 + 1 }");
  one.context = cut.context.intersect(value);
  return limitedToPart(one, {round});
}

Outcome withItemBands(Scheduled cut, const std::vector<TaskFunction> &ofItems,
                      const std::vector<NewLoop> &bands) {
  cut.schedule.tree = withoutSingleLoops(cut.schedule.tree, ofItems);
  const isl::schedule_node root = isl::manage(isl_schedule_get_root(cut.schedule.tree.get()));
  isl::schedule_node node = isl::manage(isl_schedule_node_get_child(root.get(), 0));
  for (const NewLoop &band : bands)
    node = insertLoop(node, band);
  Outcome made = withTree(cut, isl::manage(isl_schedule_node_get_schedule(node.get())));
  for (const LoopNode &loop : made.kernel ? loopsOf(made.kernel->schedule.tree) : std::vector<LoopNode>{})
    if (loop.how && std::holds_alternative<as::Item>(*loop.how) && !isParallel(loop.band))
      return {std::nullopt, fmt::format("its items along `{}` would need each other", loop.label)};
  return made;
}

} // namespace pbc::kernel
