// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/item_loops.h"
#include "compiler/kernel/item_values.h"
#include "compiler/loop/convert.h"
#include "compiler/loop/step_loops.h"
#include "compiler/loop/tile_loops.h"
#include <isl/aff.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::loop {
namespace {

constexpr int kAxes = 3;
constexpr const char *kRest = "rest";

std::string own(const std::string &parameter) { return parameter.substr(kOwn.size()); }
std::string itemName(int axis) { return own(kernel::itemParameter(axis)); }

int axesOf(const kernel::Scheduled &kernel) {
  return static_cast<int>(kernel.schedule.taskDimensions.size()) - kernel::roundsOf(kernel.schedule);
}

/// The instances for which the function has the item's value.
isl::union_set ofItem(const isl::union_pw_aff &function, int axis) {
  isl_id *id = isl_id_alloc(function.ctx().get(), kernel::itemParameter(axis).c_str(), nullptr);
  isl_union_pw_aff *value = isl_union_pw_aff_param_on_domain_id(isl_union_pw_aff_domain(function.copy()), id);
  return isl::manage(isl_union_pw_aff_zero_union_set(isl_union_pw_aff_sub(function.copy(), value)));
}

/// The points of the items of a group, which share memory or have several points each.
NodePtr forEachPoint(const kernel::Scheduled &kernel, const std::vector<kernel::LoopNode> &items,
                     NodePtr body) {
  Points points;
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    const int k = static_cast<int>(axis);
    const std::string number = std::to_string(k + kernel::roundsOf(kernel.schedule));
    points.axes.push_back({itemName(k), own(kernel::placeParameter(k)), own(kernel::firstParameter(k)),
                           own(kernel::lastParameter(k)), own(kernel::beginParameter(k)),
                           own(kernel::pointParameter(k)), limit("low" + number), limit("high" + number),
                           std::get<kernel::as::Item>(*items[axis].how).each});
  }
  points.body = std::move(body);
  return make({std::move(points)});
}

/// The cells of teams.
NodePtr forEachCell(const kernel::Scheduled &kernel, const std::vector<kernel::LoopNode> &items,
                    NodePtr body) {
  Cells cells;
  for (std::size_t axis = 0; axis < items.size(); ++axis) {
    const int k = static_cast<int>(axis);
    const std::string number = std::to_string(k + kernel::roundsOf(kernel.schedule));
    cells.axes.push_back({itemName(k), limit("low" + number), limit("high" + number)});
    cells.areNeighbours = std::get<kernel::as::Item>(*items[axis].how).of == kernel::as::Item::Of::Neighbour;
  }
  cells.body = std::move(body);
  return make({std::move(cells)});
}

NodePtr forEachItemAlong(int axis, int axes, int rounds, NodePtr body) {
  const auto limitOf = [&](const char *end, int k) { return limit(end + std::to_string(k + rounds)); };
  const std::string name = itemName(axis);
  const NodePtr inside = make({If{less(index(name), limitOf("high", axis)), std::move(body), nullptr}});
  if (axes <= kAxes || axis + 1 < kAxes)
    return make({Parallel{Parallel::Over::Launch, axis, name, limitOf("low", axis), nullptr, inside}});
  Expr number = index(kRest);
  const auto extent = [&](int k) { return subtract(limitOf("high", k), limitOf("low", k)); };
  for (int k = kAxes - 1; k < axis; ++k)
    number = arithmetic(Arithmetic::Op::Divide, {number, extent(k)});
  if (axis + 1 < axes)
    number = arithmetic(Arithmetic::Op::Modulo, {number, extent(axis)});
  const NodePtr placed = block({make({Let{{{name, add(limitOf("low", axis), number)}}}}), inside});
  if (axis + 1 < axes)
    return scope({placed});
  return make({Parallel{Parallel::Over::Launch, kAxes - 1, kRest, integer(0), nullptr, placed}});
}

} // namespace

isl::schedule ofOneItem(const kernel::Scheduled &kernel) {
  const isl::schedule &tree = kernel.schedule.tree;
  isl::union_set instances = isl::manage(isl_schedule_get_domain(tree.get()));
  bool hasItems = false;
  const isl::schedule rest = kernel::mapBottomUp(tree, [&](const isl::schedule_node &node) {
    const auto item = kernel::realisedAs<kernel::as::Item>(node);
    if (!item && !kernel::realisedAs<kernel::as::Rounds>(node)) // the round follows from the items
      return node;
    const isl::schedule_node band = isl::manage(isl_schedule_node_get_child(node.get(), 0));
    if (item)
      instances = instances.intersect(ofItem(kernel::member(band, 0), item->axis));
    hasItems = true;
    isl_schedule_node *without = isl_schedule_node_parent(isl_schedule_node_delete(band.copy()));
    return isl::manage(isl_schedule_node_delete(without)); // the mark
  });
  if (!hasItems)
    return tree;
  // The limits of the launch are tested around the item's work; isl would carry them through all of it.
  isl_schedule *ofOne = isl_schedule_intersect_domain(rest.copy(), instances.copy());
  return isl::manage(isl_schedule_gist_domain_params(ofOne, kernel::withinLaunch(kernel).release()));
}

NodePtr forEachItem(const kernel::Scheduled &kernel, NodePtr body) {
  const std::vector<kernel::LoopNode> items = kernel::itemLoops(kernel.schedule.tree);
  if (kernel::hasTeams(kernel.schedule.tree))
    return forEachCell(kernel, items, std::move(body));
  if (items.empty() && kernel.schedule.target == kernel::Target::Device) {
    const NodePtr first = make(
        {If{arithmetic(Arithmetic::Op::Equal, {index(itemName(0)), integer(0)}), std::move(body), nullptr}});
    return make({Parallel{Parallel::Over::Launch, 0, itemName(0), integer(0), nullptr, first}});
  }
  if (kernel.schedule.steps)
    return forEachStep(kernel, body);
  if (kernel::workInGroups(kernel.schedule.tree))
    return forEachPointOfTile(items, body);
  if (kernel::hasGroups(kernel))
    return forEachPoint(kernel, items, std::move(body));
  for (std::size_t axis = 0; axis < items.size(); ++axis)
    body = forEachItemAlong(static_cast<int>(axis), axesOf(kernel), kernel::roundsOf(kernel.schedule),
                            std::move(body));
  return body;
}

std::vector<GroupAxis> groupAxes(const kernel::Scheduled &kernel) {
  std::vector<GroupAxis> axes;
  if (kernel::isOfGroup(kernel))
    for (int k = 0, n = static_cast<int>(kernel::itemLoops(kernel.schedule.tree).size()); k < n; ++k)
      axes.push_back({itemName(k), own(kernel::firstParameter(k)), own(kernel::lastParameter(k))});
  return axes;
}

} // namespace pbc::loop
