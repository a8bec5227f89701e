#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::kernel {
namespace {

/// Steeper skews make tiles that overlap little with the points.
constexpr int kSteepestSkew = 4;

bool leavesUnchanged(const isl::union_map &dependences, const isl::union_pw_aff &f) {
  return dependences.is_subset(equalAt(dependences, f));
}

bool neverDecreases(const isl::union_map &dependences, const isl::union_pw_aff &f) {
  const isl::union_map value = isl::manage(isl_union_map_from_union_pw_aff(f.copy()));
  const isl::union_map down = isl::manage(isl_union_map_lex_gt_union_map(value.copy(), value.copy()));
  return dependences.intersect(down).is_empty();
}

isl::union_pw_aff times(const isl::union_pw_aff &f, int factor) {
  isl_val *v = isl_val_int_from_si(isl_union_pw_aff_get_ctx(f.get()), factor);
  return isl::manage(isl_union_pw_aff_scale_val(f.copy(), v));
}

isl::union_pw_aff plus(const isl::union_pw_aff &a, const isl::union_pw_aff &b) {
  return isl::manage(isl_union_pw_aff_add(a.copy(), b.copy()));
}

/// The value of free variable `d`, which all statements of one rule share.
isl::union_pw_aff variable(const Kernel &kernel, int d) {
  isl_union_pw_aff *all = nullptr;
  for (const Statement &s : kernel.statements) {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.domain.get()));
    isl_union_pw_aff *one = isl_union_pw_aff_from_pw_aff(
        isl_pw_aff_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d))));
    all = all ? isl_union_pw_aff_union_add(all, one) : one;
  }
  return isl::manage(all);
}

/// One rule: its free variables. A group of rules: the members of the loops that they share.
std::vector<TaskFunction> candidates(const Kernel &kernel) {
  std::vector<TaskFunction> all;
  const Statement &first = kernel.statements.front();
  const bool isGroup = std::any_of(kernel.statements.begin(), kernel.statements.end(),
                                   [&](const Statement &s) { return s.rule != first.rule; });
  if (!isGroup) {
    for (int d = 0; d < first.freeCount; ++d)
      all.push_back({first.dimensions[d], variable(kernel, d), d == 0});
    return all;
  }
  const isl::schedule_node band =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.get()), 0));
  if (isBand(band))
    for (int k = 0; k < members(band); ++k)
      all.push_back({fmt::format("c{}", k), member(band, k), false});
  return all;
}

std::string signedName(const TaskFunction &f, int sign) { return (sign < 0 ? "-" : "") + f.name; }

/// `f` upwards or downwards, whichever no dependence decreases.
std::optional<TaskFunction> oriented(const TaskFunction &f, const isl::union_map &dependences) {
  for (const int sign : {1, -1})
    if (const isl::union_pw_aff value = times(f.value, sign); neverDecreases(dependences, value))
      return TaskFunction{signedName(f, sign), value, f.isX};
  return std::nullopt;
}

/// `f` plus so much of an ordered function that no dependence decreases the sum.
std::optional<TaskFunction> skewed(const TaskFunction &f, const std::vector<TaskFunction> &ordered,
                                   const isl::union_map &dependences) {
  for (int factor = 1; factor <= kSteepestSkew; ++factor)
    for (const int sign : {1, -1})
      for (const TaskFunction &by : ordered) {
        const isl::union_pw_aff value = plus(times(f.value, sign), times(by.value, factor));
        if (neverDecreases(dependences, value))
          return TaskFunction{factor == 1 ? fmt::format("{} + {}", signedName(f, sign), by.name)
                                          : fmt::format("{} + {} {}", signedName(f, sign), factor, by.name),
                              value, f.isX};
      }
  return std::nullopt;
}

} // namespace

TaskFunctions taskFunctions(const Kernel &kernel) {
  const std::vector<TaskFunction> all = candidates(kernel);
  const isl::union_map &dependences = kernel.dependences;
  TaskFunctions free{TaskOrder::Any, {}};
  std::copy_if(all.begin(), all.end(), std::back_inserter(free.functions),
               [&](const TaskFunction &f) { return leavesUnchanged(dependences, f.value); });
  if (!free.functions.empty())
    return free;
  std::vector<TaskFunction> ordered, others;
  for (const TaskFunction &f : all) {
    if (auto up = oriented(f, dependences))
      ordered.push_back(std::move(*up));
    else
      others.push_back(f);
  }
  TaskFunctions wavefront{TaskOrder::Wavefront, ordered};
  for (const TaskFunction &f : others)
    if (auto sum = skewed(f, ordered, dependences))
      wavefront.functions.push_back(std::move(*sum));
  // The tiles are long in the first function.
  std::stable_sort(wavefront.functions.begin(), wavefront.functions.end(),
                   [](const TaskFunction &a, const TaskFunction &b) { return a.isX > b.isX; });
  if (wavefront.functions.size() > 1)
    return wavefront;
  for (const TaskFunction &outer : ordered) {
    const isl::union_map within = equalAt(dependences, outer.value);
    TaskFunctions rounds{TaskOrder::Rounds, {outer}};
    for (const TaskFunction &f : others)
      if (leavesUnchanged(within, f.value))
        rounds.functions.push_back(f);
    if (rounds.functions.size() > 1)
      return rounds;
  }
  return {};
}

} // namespace pbc::kernel
