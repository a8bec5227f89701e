// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/item_values.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

const std::vector<std::string> kLimits{"low", "high"};

std::string limitParameter(const Schedule &schedule, const std::string &limit, int axis) {
  return fmt::format("pb__{}{}", limit, axis + roundsOf(schedule));
}

} // namespace

std::string itemParameter(int axis) { return fmt::format("pb__item{}", axis); }
std::string firstParameter(int axis) { return fmt::format("pb__first{}", axis); }
std::string lastParameter(int axis) { return fmt::format("pb__last{}", axis); }
std::string placeParameter(int axis) { return fmt::format("pb__place{}", axis); }
std::string beginParameter(int axis) { return fmt::format("pb__begin{}", axis); }
std::string pointParameter(int axis) { return fmt::format("pb__r{}", axis); }

std::vector<LoopNode> itemLoops(const isl::schedule &schedule) {
  std::vector<LoopNode> all;
  for (const LoopNode &loop : loopsOf(schedule))
    if (loop.how && std::holds_alternative<as::Item>(*loop.how))
      all.push_back(loop);
  const auto axis = [](const LoopNode &loop) { return std::get<as::Item>(*loop.how).axis; };
  std::sort(all.begin(), all.end(), [&](const LoopNode &l, const LoopNode &r) { return axis(l) < axis(r); });
  return all;
}

bool hasGroups(const Scheduled &kernel) {
  return std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                     [](const Buffer &b) { return isFilled(b); }) ||
         hasBlocks(kernel.schedule.tree);
}

bool hasBlocks(const isl::schedule &schedule) {
  const std::vector<LoopNode> items = itemLoops(schedule);
  return std::any_of(items.begin(), items.end(),
                     [](const LoopNode &l) { return std::get<as::Item>(*l.how).hasSeveral(); });
}

bool hasRuns(const isl::schedule &schedule) {
  const std::vector<LoopNode> items = itemLoops(schedule);
  return std::any_of(items.begin(), items.end(), [](const LoopNode &l) {
    return std::get<as::Item>(*l.how).each == as::Item::Each::Run;
  });
}

bool hasPlanes(const isl::schedule &schedule) {
  const std::vector<LoopNode> items = itemLoops(schedule);
  return std::any_of(items.begin(), items.end(), [](const LoopNode &l) {
    return std::get<as::Item>(*l.how).each == as::Item::Each::Turn;
  });
}

bool workInGroups(const isl::schedule &schedule) {
  const std::vector<LoopNode> items = itemLoops(schedule);
  return hasTeams(schedule) || std::any_of(items.begin(), items.end(), [](const LoopNode &l) {
           return std::get<as::Item>(*l.how).of != as::Item::Of::Launch;
         });
}

bool hasTeams(const isl::schedule &schedule) {
  const std::vector<LoopNode> loops = loopsOf(schedule);
  return std::any_of(loops.begin(), loops.end(),
                     [](const LoopNode &l) { return l.how && std::holds_alternative<as::Team>(*l.how); });
}

int roundsOf(const Schedule &schedule) { return schedule.taskOrder == TaskOrder::Rounds ? 1 : 0; }

std::string roundParameter(const Schedule &schedule) { return roundsOf(schedule) ? "pb__low0" : ""; }

/// The context, with the parameter of each axis between the limits of the launch.
static isl::set within(const Scheduled &kernel, std::string (*parameter)(int axis)) {
  isl::set context = kernel.context;
  for (std::size_t axis = 0; axis < itemLoops(kernel.schedule.tree).size(); ++axis) {
    const int k = static_cast<int>(axis);
    const std::string low = limitParameter(kernel.schedule, "low", k),
                      high = limitParameter(kernel.schedule, "high", k);
    context = context.intersect(poly::apart(context.ctx(), low, parameter(k), 0))
                  .intersect(poly::apart(context.ctx(), parameter(k), high, 1));
  }
  return context;
}

bool isOfGroup(const Scheduled &kernel) {
  return isl_set_find_dim_by_name(kernel.context.get(), isl_dim_param, firstParameter(0).c_str()) >= 0;
}

namespace {

/// The instances whose value of the function lies between the two parameters.
isl::union_set between(const isl::union_pw_aff &function, const std::string &first, const std::string &last) {
  const auto beyond = [&](const std::string &limit, bool isFirst) {
    isl_id *id = isl_id_alloc(function.ctx().get(), limit.c_str(), nullptr);
    isl_union_pw_aff *value =
        isl_union_pw_aff_param_on_domain_id(isl_union_pw_aff_domain(function.copy()), id);
    return isl::manage(isFirst ? isl_union_pw_aff_sub(function.copy(), value)
                               : isl_union_pw_aff_sub(value, function.copy()));
  };
  const auto isNotNegative = [](const isl::union_pw_aff &distance) {
    const isl::set values(distance.ctx(), "{ [d] : d >= 0 }");
    return isl::manage(isl_union_map_from_union_pw_aff(distance.copy()))
        .intersect_range(isl::union_set(values))
        .domain();
  };
  return isNotNegative(beyond(first, true)).intersect(isNotNegative(beyond(last, false)));
}

} // namespace

Scheduled ofOneGroup(const Scheduled &kernel) {
  Scheduled made = kernel;
  isl::union_set instances = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
  for (const LoopNode &item : itemLoops(kernel.schedule.tree)) {
    const int axis = std::get<as::Item>(*item.how).axis;
    const std::string first = firstParameter(axis), last = lastParameter(axis);
    instances = instances.intersect(between(member(item.band, 0), first, last));
    made.context = made.context
                       .intersect(poly::apart(made.context.ctx(),
                                              limitParameter(kernel.schedule, "low", axis), first, 0))
                       .intersect(poly::apart(made.context.ctx(), first, last, 0))
                       .intersect(poly::apart(made.context.ctx(), last,
                                              limitParameter(kernel.schedule, "high", axis), 1));
  }
  for (Statement &s : made.statements)
    s.domain = s.domain.intersect(
        isl::manage(isl_union_set_extract_set(instances.get(), isl_set_get_space(s.domain.get()))));
  made.schedule.tree =
      isl::manage(isl_schedule_intersect_domain(made.schedule.tree.release(), instances.copy()));
  return made;
}

isl::set withinLaunch(const Scheduled &kernel) {
  isl::set context = within(kernel, itemParameter);
  for (std::size_t axis = 0; axis < itemLoops(kernel.schedule.tree).size() && isOfGroup(kernel); ++axis) {
    const int k = static_cast<int>(axis);
    context = context.intersect(poly::apart(context.ctx(), firstParameter(k), itemParameter(k), 0))
                  .intersect(poly::apart(context.ctx(), itemParameter(k), lastParameter(k), 0));
  }
  return context;
}
isl::set contextOfGroup(const Scheduled &kernel) { return within(kernel, firstParameter); }

isl::set contextOfItem(const Scheduled &kernel) {
  isl_set *context = withinLaunch(kernel).release();
  for (std::size_t axis = 0; axis < itemLoops(kernel.schedule.tree).size(); ++axis)
    for (const std::string &limit : kLimits) {
      const std::string name = limitParameter(kernel.schedule, limit, static_cast<int>(axis));
      if (const int at = isl_set_find_dim_by_name(context, isl_dim_param, name.c_str()); at >= 0)
        context = isl_set_project_out(context, isl_dim_param, static_cast<unsigned>(at), 1);
    }
  return isl::manage(context);
}

} // namespace pbc::kernel
