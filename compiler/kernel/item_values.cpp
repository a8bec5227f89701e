// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/item_values.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

const std::vector<std::string> kLimits{"low", "high"};

std::string limitParameter(const Schedule &schedule, const std::string &limit, int axis) {
  return fmt::format("pb__{}{}", limit, axis + roundsOf(schedule));
}

} // namespace

std::string itemParameter(int axis) { return fmt::format("pb__item{}", axis); }
std::string firstParameter(int axis) { return fmt::format("pb__first{}", axis); }
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

isl::set withinLaunch(const Scheduled &kernel) { return within(kernel, itemParameter); }
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
