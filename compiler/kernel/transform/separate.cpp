// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/separate.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/iterations.h"
#include "compiler/kernel/transform/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// The part of a step that has all of these loops inside.
Subtree &partWith(Subtree &step, const std::vector<std::string> &loops) {
  if (std::holds_alternative<Subtree::Parts>(step.node))
    for (Subtree &part : step.children)
      if (std::all_of(loops.begin(), loops.end(),
                      [&](const std::string &label) { return find(part, label); }))
        return partWith(part, loops);
  return step;
}

Outcome applySeparate(const Scheduled &kernel, const Arguments &arguments) {
  if (std::string why = whyNotApart(kernel); !why.empty())
    return {std::nullopt, std::move(why)};
  if (!arguments.results().empty())
    return {std::nullopt,
            "its loops cannot be named: those at the edges have _edge or _begin behind their names"};
  const LoopNode at = *findLoop(kernel.schedule.tree, arguments.name("at"));
  const isl::union_set all = isl::manage(isl_schedule_node_get_domain(at.band.get()));
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  isl::union_set full = all, inside = all.subtract(all); // what is inside of the named loops
  for (const std::string &label : arguments.names("loops")) {
    const LoopNode loop = *findLoop(kernel.schedule.tree, label);
    if (!isAround(at, loop))
      return {std::nullopt,
              fmt::format("its loop over `{}` is not inside the one over `{}`", label, at.label)};
    const std::optional<isl::union_set> own = whereLongest(loop, at, kernel.context);
    if (!own)
      return {std::nullopt, fmt::format("the loop over `{}` has no constant length anywhere", label)};
    full = full.intersect(isOfGroup(kernel) ? forAll(*own, loop, at, items) : *own);
    inside = inside.unite(isl::manage(isl_schedule_node_get_domain(loop.band.get())));
  }
  const isl::union_set edges = all.subtract(full);
  if (full.intersect_params(kernel.context).is_empty())
    return {std::nullopt, fmt::format("no step of `{}` has all loops in their full length", at.label)};
  if (edges.intersect(inside).intersect_params(kernel.context).is_empty())
    return {std::nullopt, fmt::format("all steps of `{}` have these loops in their full length", at.label)};
  const bool inLoops = arguments.name("apart") == "loops";
  isl::union_set before = all.subtract(all);
  if (inLoops && !comeFirst(full, at, kernel.context)) {
    before = beforeSome(edges, full, at, isOfGroup(kernel) ? items : std::vector<LoopNode>{});
    if (!comeFirst(before, at, kernel.context))
      return {
          std::nullopt,
          fmt::format("steps of `{}` with all loops in their full length come before others and after them",
                      at.label)};
  }
  const isl::union_set behind = edges.subtract(before);
  std::optional<Subtree> read = subtreeOf(kernel.schedule.tree);
  Subtree &tree = *read;
  Subtree &step = *find(tree, at.label);
  Subtree &part = inLoops ? step : partWith(step.children.front(), arguments.names("loops"));
  std::vector<TreeCopy> copies;
  if (!before.is_empty())
    copies.push_back({before, "_begin", ""});
  copies.push_back({full, "", ""});
  if (!behind.is_empty())
    copies.push_back({behind, "_edge", ""});
  part = copiesOf(kernel, part, copies);
  return withSubtreeInSameOrder(kernel, tree);
}

} // namespace

Transformation separateTransformation() {
  using Kind = Parameter::Kind;
  return {
      .name = "separate",
      .doc = "runs the steps of a loop in which others have their full length apart from the rest",
      .parameters = {{.name = "loops", .kind = Kind::Loops, .doc = "the loops that have their full length"},
                     {.name = "at", .kind = Kind::Loop, .doc = "the loop whose steps are told apart"},
                     {.name = "apart",
                      .kind = Kind::Word,
                      .doc = "how: loops, one for the steps before all full ones, for these, and for those "
                             "behind them; or "
                             "two branches in one loop",
                      .words = {"branches", "loops"},
                      .isOptional = true}},
      .apply = applySeparate};
}

} // namespace pbc::kernel
