// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/items.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/split_tasks.h"
#include "compiler/kernel/task_functions.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// Sets high<k> = low<k> + 1 and eliminates high<k>.
isl_set *atOneValue(isl_set *set, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    isl_set *one = isl_set_read_from_str(
        isl_set_get_ctx(set),
        fmt::format("[pb__low{0}, pb__high{0}] -> {{ : pb__high{0} = pb__low{0} + 1 }}", k).c_str());
    set = isl_set_intersect_params(set, one);
    const int high = isl_set_find_dim_by_name(set, isl_dim_param, fmt::format("pb__high{}", k).c_str());
    if (high >= 0)
      set = isl_set_project_out(set, isl_dim_param, static_cast<unsigned>(high), 1);
  }
  return set;
}

} // namespace

Scheduled oneItem(const Scheduled &cut, const isl::schedule &order) {
  Scheduled item = cut;
  const std::size_t count = cut.schedule.taskDimensions.size();
  item.context = isl::manage(isl_set_params(atOneValue(item.context.release(), count)));
  isl_union_set *domain = isl_union_set_empty_ctx(isl_set_get_ctx(cut.context.get()));
  for (Statement &s : item.statements) {
    isl_set *points = atOneValue(s.domain.release(), count);
    s.domain = isl::manage(isl_set_coalesce(isl_set_gist_params(points, item.context.copy())));
    domain = isl_union_set_add_set(domain, s.domain.copy());
  }
  item.schedule.tree = isl::manage(isl_schedule_intersect_domain(order.copy(), domain));
  return item;
}

Obstacle whyNoItems(const Kernel &kernel) {
  for (const Statement &s : kernel.statements) {
    if (s.isOpaque && !s.onDevice)
      return {"its body could not be taken apart into statements"};
    if (s.isOpaque && !s.onDevice->obstacle.empty())
      return {s.onDevice->obstacle, s.onDevice->obstacleSpan};
  }
  return {kernel.statements.empty() ? "it does nothing" : ""};
}

std::string whyNoLaunch(const Kernel &lifted, const Scheduled &cut) {
  const std::size_t rounds = cut.schedule.taskOrder == TaskOrder::Rounds ? 1 : 0;
  if (cut.schedule.taskDimensions.size() <= rounds)
    return haveOnePoint(lifted.statements) ? "it has one point only, which would be one work-item"
                                           : "every loop over its points carries a dependence";
  if (cut.schedule.taskDimensions.size() > kMostFunctions)
    return fmt::format("its points have more than {} coordinates", kMostFunctions);
  return "";
}

ItemsOutcome mapToItems(const Scheduled &lifted) {
  if (const Obstacle obstacle = whyNoItems(lifted); !obstacle.why.empty())
    return {std::nullopt, obstacle.why, obstacle.at};
  const Scheduled cut = cutAlong(lifted, itemFunctions(lifted));
  if (std::string why = whyNoLaunch(lifted, cut); !why.empty())
    return {std::nullopt, std::move(why)};
  return {Items{cut, oneItem(cut, lifted.schedule.tree)}, ""};
}

Items asOneItem(const Scheduled &lifted) {
  const Scheduled whole = cutAlong(lifted, {});
  return {whole, whole};
}

} // namespace pbc::kernel
