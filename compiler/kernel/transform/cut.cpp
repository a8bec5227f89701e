// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/cut.h"
#include <fmt/format.h>
#include <isl/schedule.h>
#include <isl/union_set.h>
#include <set>

namespace pbc::kernel {

std::string whyNotApart(const Scheduled &kernel) {
  if (kernel.schedule.registerTile)
    return "its points are computed in blocks in registers already";
  return subtreeOf(kernel.schedule.tree) ? "" : "its schedule has copies of matrices already";
}

static isl::schedule scheduleWith(const Scheduled &kernel, const Subtree &tree) {
  const isl::union_set all = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  return scheduleOf(kernel.schedule.tree, limitedTo(tree, all));
}

Outcome withSubtree(const Scheduled &kernel, const Subtree &tree) {
  return withTree(kernel, scheduleWith(kernel, tree));
}

Outcome withSubtreeInSameOrder(const Scheduled &kernel, const Subtree &tree) {
  return inSameOrder(kernel, scheduleWith(kernel, tree));
}

Subtree copiesOf(const Scheduled &kernel, const Subtree &tree, const std::vector<TreeCopy> &copies) {
  std::set<std::string> used;
  for (std::string &label : labelsOf(kernel.schedule.tree))
    used.insert(std::move(label));
  for (const TreeCopy &copy : copies)
    used.insert(copy.label);
  std::vector<Part> parts;
  for (const TreeCopy &copy : copies) {
    Subtree own = tree;
    if (!copy.suffix.empty())
      for (const std::string &before : labelsOf(tree)) {
        std::string label = before + copy.suffix;
        for (int n = 2; !used.insert(label).second; ++n)
          label = before + copy.suffix + std::to_string(n);
        rename(own, before, label);
      }
    if (!copy.label.empty())
      own.loop()->label = copy.label;
    parts.push_back({copy.instances, std::move(own)});
  }
  return inTurn(parts);
}

Outcome cutLoop(const Scheduled &kernel, const LoopNode &loop, const std::vector<TreeCopy> &copies) {
  for (const TreeCopy &copy : copies)
    if (copy.instances.is_empty())
      return {std::nullopt, fmt::format("no iteration is left for `{}`", copy.label)};
  Subtree tree = *subtreeOf(kernel.schedule.tree);
  Subtree *place = find(tree, loop.label);
  *place = copiesOf(kernel, *place, copies);
  return withSubtree(kernel, tree);
}

SequencePlace placeOf(Subtree &tree, const std::string &label) {
  Subtree *node = find(tree, label), *parent = parentOf(tree, *node);
  while (parent && std::holds_alternative<Declare>(parent->node)) {
    node = parent;
    parent = parentOf(tree, *node);
  }
  if (!parent || !std::holds_alternative<Subtree::Parts>(parent->node))
    return {};
  return {parent, static_cast<std::size_t>(node - parent->children.data())};
}

} // namespace pbc::kernel
