// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/item_loops.h"
#include "compiler/kernel/tree.h"
#include "compiler/loop/convert.h"
#include <isl/aff.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_set.h>
#include <set>

namespace pbc::loop {
namespace {

constexpr int kAxes = 3;
constexpr const char *kRest = "rest";

std::string itemName(int axis) { return "item" + std::to_string(axis); }

int roundsOf(const kernel::Scheduled &kernel) {
  return kernel.schedule.taskOrder == kernel::TaskOrder::Rounds ? 1 : 0;
}
int axesOf(const kernel::Scheduled &kernel) {
  return static_cast<int>(kernel.schedule.taskDimensions.size()) - roundsOf(kernel);
}

std::string limitName(const kernel::Scheduled &kernel, const char *limit, int axis) {
  return std::string(kOwn) + limit + std::to_string(axis + roundsOf(kernel));
}

/// The instances for which the function has the item's value.
isl::union_set ofItem(const isl::union_pw_aff &function, int axis) {
  isl_id *id = isl_id_alloc(function.ctx().get(), (std::string(kOwn) + itemName(axis)).c_str(), nullptr);
  isl_union_pw_aff *value = isl_union_pw_aff_param_on_domain_id(isl_union_pw_aff_domain(function.copy()), id);
  return isl::manage(isl_union_pw_aff_zero_union_set(isl_union_pw_aff_sub(function.copy(), value)));
}

/// The axes along which the schedule has items, from 0 on.
std::set<int> itemAxes(const isl::schedule &schedule) {
  std::set<int> all;
  kernel::visit(isl::manage(isl_schedule_get_root(schedule.get())), [&](const isl::schedule_node &node) {
    if (const auto item = kernel::realisedAs<kernel::as::Item>(node))
      all.insert(item->axis);
  });
  return all;
}

/// What is known of the parameters, with each item between its launch's limits.
isl::set withinLaunch(const kernel::Scheduled &kernel) {
  isl::set context = kernel.context;
  for (const int axis : itemAxes(kernel.schedule.tree)) {
    const std::string low = limitName(kernel, "low", axis), high = limitName(kernel, "high", axis);
    const std::string item = std::string(kOwn) + itemName(axis);
    context =
        context.intersect(isl::set(context.ctx(), "[" + low + ", " + high + ", " + item + "] -> { : " + low +
                                                      " <= " + item + " < " + high + " }"));
  }
  return context;
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

isl::set contextOfItems(const kernel::Scheduled &kernel) {
  isl_set *context = withinLaunch(kernel).release();
  for (const int axis : itemAxes(kernel.schedule.tree))
    for (const char *limit : {"low", "high"}) {
      const std::string name = limitName(kernel, limit, axis);
      if (const int at = isl_set_find_dim_by_name(context, isl_dim_param, name.c_str()); at >= 0)
        context = isl_set_project_out(context, isl_dim_param, static_cast<unsigned>(at), 1);
    }
  return isl::manage(context);
}

isl::schedule ofOneItem(const kernel::Scheduled &kernel) {
  const isl::schedule &tree = kernel.schedule.tree;
  isl::union_set instances = isl::manage(isl_schedule_get_domain(tree.get()));
  bool hasItems = false;
  const isl::schedule rest = kernel::mapBottomUp(tree, [&](const isl::schedule_node &node) {
    const auto item = kernel::realisedAs<kernel::as::Item>(node);
    if (!item)
      return node;
    const isl::schedule_node band = isl::manage(isl_schedule_node_get_child(node.get(), 0));
    instances = instances.intersect(ofItem(kernel::member(band, 0), item->axis));
    hasItems = true;
    isl_schedule_node *without = isl_schedule_node_parent(isl_schedule_node_delete(band.copy()));
    return isl::manage(isl_schedule_node_delete(without)); // the mark
  });
  if (!hasItems)
    return tree;
  // The limits of the launch are tested around the item's work; isl would carry them through all of it.
  isl_schedule *ofOne = isl_schedule_intersect_domain(rest.copy(), instances.copy());
  return isl::manage(isl_schedule_gist_domain_params(ofOne, withinLaunch(kernel).release()));
}

NodePtr forEachItem(const kernel::Scheduled &kernel, NodePtr body) {
  const std::set<int> axes = itemAxes(kernel.schedule.tree);
  if (axes.empty() && kernel.schedule.target == kernel::Target::Device) {
    const NodePtr first = make(
        {If{arithmetic(Arithmetic::Op::Equal, {index(itemName(0)), integer(0)}), std::move(body), nullptr}});
    return make({Parallel{Parallel::Over::Launch, 0, itemName(0), integer(0), nullptr, first}});
  }
  for (const int axis : axes)
    body = forEachItemAlong(axis, axesOf(kernel), roundsOf(kernel), std::move(body));
  return body;
}

} // namespace pbc::loop
