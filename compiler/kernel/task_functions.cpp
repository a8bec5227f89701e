// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/task_functions.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <map>
#include <set>

namespace pbc::kernel {
namespace {

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

/// `f`, a function of one statement's free variables, for another statement of the same rule.
std::optional<isl::pw_aff> transferred(const isl::aff &f, const Statement &from, const Statement &to) {
  const bool areOfTheSamePoints = from.freeCount == to.freeCount; // copies of matrices have their own
  if (isl_aff_dim(f.get(), isl_dim_div) > 0 || !areOfTheSamePoints)
    return std::nullopt;
  isl_space *space = isl_set_get_space(to.domain.get());
  isl_aff *out = isl_aff_zero_on_domain(isl_local_space_from_space(space));
  out = isl_aff_set_constant_val(out, isl_aff_get_constant_val(f.get()));
  for (int d = 0; d < static_cast<int>(from.dimensions.size()); ++d) {
    isl_val *v = isl_aff_get_coefficient_val(f.get(), isl_dim_in, d);
    if (d < from.freeCount)
      out = isl_aff_set_coefficient_val(out, isl_dim_in, d, v);
    else {
      const bool usesLoop = isl_val_is_zero(v) != isl_bool_true;
      isl_val_free(v);
      if (usesLoop) {
        isl_aff_free(out);
        return std::nullopt;
      }
    }
  }
  // Parameters: by name, since the spaces may list them differently.
  for (int p = 0, n = static_cast<int>(isl_aff_dim(f.get(), isl_dim_param)); p < n; ++p) {
    isl_val *v = isl_aff_get_coefficient_val(f.get(), isl_dim_param, p);
    if (isl_val_is_zero(v) == isl_bool_true) {
      isl_val_free(v);
      continue;
    }
    isl_space *names = isl_aff_get_domain_space(f.get());
    isl_aff *whole = isl_aff_param_on_domain_space_id(isl_set_get_space(to.domain.get()),
                                                      isl_space_get_dim_id(names, isl_dim_param, p));
    isl_space_free(names);
    out = isl_aff_add(out, isl_aff_scale_val(whole, v));
  }
  return isl::manage(isl_pw_aff_from_aff(out));
}

/// Whether all functions are the same number: that of the one slot in which all versions lie.
bool areOneNumber(const std::map<int, std::pair<const Statement *, isl::aff>> &ofRule) {
  std::optional<isl::val> number;
  return std::all_of(ofRule.begin(), ofRule.end(), [&](const auto &one) {
    const isl::aff &f = one.second.second;
    if (isl_aff_is_cst(f.get()) != isl_bool_true)
      return false;
    const isl::val value = isl::manage(isl_aff_get_constant_val(f.get()));
    const bool isSame = !number || isl_val_eq(number->get(), value.get()) == isl_bool_true;
    number = value;
    return isSame;
  });
}

/// Coordinate `d` of the cell that each point of a group writes, as one function for all its rules. Nothing
/// unless every rule writes single cells at an affine position, and for a coordinate along which there is nothing to cut.
std::optional<isl::union_pw_aff> coordinateWritten(const Kernel &kernel, int d) {
  std::map<int, std::pair<const Statement *, isl::aff>> ofRule;
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      const Buffer &b = kernel.buffers[a.buffer];
      if (!a.isWrite || b.role == Buffer::Role::Local || ofRule.count(s.rule) || d >= b.rank)
        continue;
      if (isl_map_is_single_valued(a.relation.get()) != isl_bool_true)
        return std::nullopt;
      const isl::pw_multi_aff place = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
      if (const auto f = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(place.get(), d))))
        ofRule.emplace(s.rule, std::pair(&s, *f));
    }
  if (areOneNumber(ofRule))
    return std::nullopt;
  isl_union_pw_aff *all = nullptr;
  for (const Statement &s : kernel.statements) {
    const auto at = ofRule.find(s.rule);
    const auto one = at == ofRule.end() ? std::nullopt : transferred(at->second.second, *at->second.first, s);
    if (!one) {
      isl_union_pw_aff_free(all);
      return std::nullopt;
    }
    isl_union_pw_aff *value = isl_union_pw_aff_from_pw_aff(one->copy());
    all = all ? isl_union_pw_aff_union_add(all, value) : value;
  }
  return isl::manage(all);
}

isl::schedule_node below(const isl::schedule_node &node) {
  isl::schedule_node child = isl::manage(isl_schedule_node_get_child(node.get(), 0));
  while (markAt(child))
    child = isl::manage(isl_schedule_node_get_child(child.get(), 0));
  return child;
}

/// What a sequence runs one after the other.
std::vector<isl::union_set> turnsOf(const isl::schedule_node &sequence) {
  std::vector<isl::union_set> turns;
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(sequence.get())); k < n; ++k) {
    isl_schedule_node *filter = isl_schedule_node_get_child(sequence.get(), k);
    turns.push_back(isl::manage(isl_schedule_node_filter_get_filter(filter)));
    isl_schedule_node_free(filter);
  }
  return turns;
}

/// The outermost loop that the rules of a group share, with the turns that its iterations take counted, too:
///
///   for t { Q = f(P); P = f(Q) }   =>   2 t for the rules of Q, 2 t + 1 for those of P
///
/// Rules that do not need each other in one iteration have the same turn. Nothing if all do.
std::optional<isl::union_pw_aff> loopInTurns(const Scheduled &kernel, const isl::schedule_node &band) {
  const isl::schedule_node sequence = below(band);
  if (members(band) != 1 || isl_schedule_node_get_type(sequence.get()) != isl_schedule_node_sequence)
    return std::nullopt;
  const isl::union_pw_aff loop = member(band, 0);
  const isl::union_map inIteration = equalAt(kernel.dependences, loop);
  const std::vector<isl::union_set> all = turnsOf(sequence);
  std::vector<int> turn(all.size(), 0);
  isl_union_pw_aff *offsets = nullptr;
  std::set<std::string> seen;
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t before = 0; before < k; ++before)
      if (!inIteration.intersect_domain(all[before]).intersect_range(all[k]).is_empty())
        turn[k] = std::max(turn[k], turn[before] + 1);
    const isl::union_set statements = isl::manage(isl_union_set_universe(all[k].copy()));
    if (!statements.every_set(
            [&](const isl::set &s) { return seen.insert(isl_set_get_tuple_name(s.get())).second; })) {
      isl_union_pw_aff_free(offsets);
      return std::nullopt; // a statement takes several turns
    }
    isl_union_pw_aff *here = isl_union_pw_aff_val_on_domain(
        statements.copy(), isl_val_int_from_si(isl_union_set_get_ctx(statements.get()), turn[k]));
    offsets = offsets ? isl_union_pw_aff_union_add(offsets, here) : here;
  }
  const isl::union_pw_aff inTurns = isl::manage(offsets);
  const int turns = 1 + *std::max_element(turn.begin(), turn.end());
  return turns > 1 ? std::optional(plus(times(loop, turns), inTurns)) : std::nullopt;
}

/// For a group of rules: the coordinates of the cells that they write, and the outermost loop that they share
/// if a coordinate cannot be used (the version of a matrix with fewer slots than versions). `inTurns`: what the loop's iterations run one
/// after the other counts as time, too.
std::vector<TaskFunction> candidatesOfGroup(const Scheduled &kernel, bool inTurns) {
  std::vector<TaskFunction> all;
  int rank = 0;
  for (const Buffer &b : kernel.buffers)
    if (b.role == Buffer::Role::Output)
      rank = std::max(rank, b.rank);
  bool isComplete = rank > 0;
  for (int d = 0; d < rank; ++d)
    if (auto f = coordinateWritten(kernel, d))
      all.push_back({fmt::format("x{}", d), *f, d == 0});
    else
      isComplete = false;
  const isl::schedule_node band = below(isl::manage(isl_schedule_get_root(kernel.schedule.tree.get())));
  if (isComplete || !isBand(band))
    return all;
  // A loop over one of the coordinates is no time besides it: tiles would form a chain.
  const isl::union_pw_aff outermost = member(band, 0);
  if (std::any_of(all.begin(), all.end(), [&](const TaskFunction &f) {
        return isl_union_pw_aff_plain_is_equal(f.value.get(), outermost.get()) == isl_bool_true ||
               isl_union_pw_aff_plain_is_equal(f.value.get(), times(outermost, -1).get()) == isl_bool_true;
      }))
    return all;
  if (!inTurns)
    all.push_back({"v", outermost, false, false});
  else if (const auto turns = loopInTurns(kernel, band))
    all.push_back({"turn", *turns, false, false});
  return all;
}

/// Whether free variable `d` of the rule changes the cell that it writes; a version in a slot that later
/// versions use again does not count.
bool movesCells(const Kernel &kernel, int d) {
  for (const Statement &s : kernel.statements)
    for (const Access &a : s.accesses) {
      if (!a.isWrite || kernel.buffers[a.buffer].role == Buffer::Role::Local)
        continue;
      if (isl_map_is_single_valued(a.relation.get()) != isl_bool_true)
        return true;
      const isl::pw_multi_aff place = isl::manage(isl_pw_multi_aff_from_map(a.relation.copy()));
      for (int c = 0; c < kernel.buffers[a.buffer].rank; ++c) {
        const auto f = formula(isl::manage(isl_pw_multi_aff_get_pw_aff(place.get(), c)));
        if (!f || (isl_aff_dim(f->get(), isl_dim_div) == 0 &&
                   isl_aff_involves_dims(f->get(), isl_dim_in, static_cast<unsigned>(d), 1) == isl_bool_true))
          return true;
      }
    }
  return false;
}

/// The points of the statement's rule.
isl::set pointsOf(const Statement &s) {
  const auto free = static_cast<unsigned>(s.freeCount);
  isl_set *points = isl_set_reset_tuple_id(s.domain.copy());
  return isl::manage(isl_set_project_out(points, isl_dim_set, free,
                                         static_cast<unsigned>(isl_set_dim(points, isl_dim_set)) - free));
}

/// Whether the rules of a group have the same points, which do not wait for each other: they are like one rule.
bool haveSamePoints(const Kernel &kernel) {
  const isl::set first = pointsOf(kernel.statements.front());
  return kernel.dependences.is_empty() &&
         std::all_of(kernel.statements.begin(), kernel.statements.end(), [&](const Statement &s) {
           return s.freeCount == kernel.statements.front().freeCount && pointsOf(s).is_equal(first);
         });
}

/// For one rule: its free variables.
std::vector<TaskFunction> candidates(const Scheduled &kernel, bool inTurns) {
  const Statement &first = kernel.statements.front();
  if (std::any_of(kernel.statements.begin(), kernel.statements.end(),
                  [&](const Statement &s) { return s.rule != first.rule; }) &&
      !haveSamePoints(kernel))
    return candidatesOfGroup(kernel, inTurns);
  std::vector<TaskFunction> all;
  for (int d = 0; d < first.freeCount; ++d)
    all.push_back({first.dimensions[d], variable(kernel, d), d == 0, movesCells(kernel, d)});
  return all;
}

std::string signedName(const TaskFunction &f, int sign) { return (sign < 0 ? "-" : "") + f.name; }

/// `f` or its negative, whichever no dependence decreases.
std::optional<TaskFunction> oriented(const TaskFunction &f, const isl::union_map &dependences) {
  for (const int sign : {1, -1})
    if (const isl::union_pw_aff value = times(f.value, sign); neverDecreases(dependences, value))
      return TaskFunction{signedName(f, sign), value, f.isX, f.isPlace};
  return std::nullopt;
}

/// `f` plus a multiple of an ordered function such that no dependence decreases the sum.
std::optional<TaskFunction> skewed(const TaskFunction &f, const std::vector<TaskFunction> &ordered,
                                   const isl::union_map &dependences) {
  for (int factor = 1; factor <= kSteepestSkew; ++factor)
    for (const int sign : {1, -1})
      for (const TaskFunction &by : ordered) {
        const isl::union_pw_aff value = plus(times(f.value, sign), times(by.value, factor));
        if (neverDecreases(dependences, value))
          return TaskFunction{fmt::format("{} + {}", signedName(f, sign), multiple(factor, by.name)),
                              value,
                              f.isX,
                              f.isPlace,
                              by.name,
                              factor};
      }
  return std::nullopt;
}

} // namespace

std::string multiple(int factor, const std::string &name) {
  return factor == 1 ? name : fmt::format("{} {}", factor, name);
}

isl::pw_aff valueAt(const TaskFunction &f, const Statement &s) {
  isl_space *space =
      isl_space_add_dims(isl_space_from_domain(isl_set_get_space(s.domain.get())), isl_dim_out, 1);
  return isl::manage(isl_union_pw_aff_extract_pw_aff(f.value.get(), space));
}

isl::set valuesOf(const TaskFunction &f, const Kernel &kernel) {
  isl::set whole;
  for (const Statement &s : kernel.statements) {
    isl_map *value = isl_map_from_pw_aff(valueAt(f, s).release());
    const isl::set here = isl::manage(isl_map_range(isl_map_intersect_domain(value, s.domain.copy())));
    whole = whole.is_null() ? here : whole.unite(here);
  }
  return poly::simplified(whole);
}

namespace {

/// The candidates, sorted by how dependences change them.
struct Sorted {
  std::vector<TaskFunction> unchanged, ordered, others;

  Sorted(const Scheduled &kernel, bool inTurns) {
    for (const TaskFunction &f : candidates(kernel, inTurns))
      if (neverChanges(kernel.dependences, f.value))
        unchanged.push_back(f);
      else if (auto up = oriented(f, kernel.dependences))
        ordered.push_back(std::move(*up));
      else
        others.push_back(f);
  }

  /// The ordered ones, and others that become ordered by skewing.
  std::vector<TaskFunction> neverDecreasing(const Scheduled &kernel) const {
    std::vector<TaskFunction> all = ordered;
    for (const TaskFunction &f : others)
      if (auto sum = skewed(f, ordered, kernel.dependences))
        all.push_back(std::move(*sum));
    return all;
  }

  /// One function in rounds, value by value, and functions that dependences within a value leave unchanged.
  std::optional<TaskFunctions> rounds(const Scheduled &kernel, const TaskFunction &outer,
                                      const std::vector<TaskFunction> &from) const {
    const isl::union_map within = equalAt(kernel.dependences, outer.value);
    TaskFunctions all{TaskOrder::Rounds, {outer}};
    for (const TaskFunction &f : from)
      if (f.name != outer.name && neverChanges(within, f.value))
        all.functions.push_back(f);
    return all.functions.size() > 1 ? std::optional(all) : std::nullopt;
  }
};

} // namespace

namespace {

TaskFunctions tasksOf(const Scheduled &kernel, const Sorted &sorted) {
  if (!sorted.unchanged.empty())
    return {TaskOrder::Any, sorted.unchanged};
  TaskFunctions wavefront{TaskOrder::Wavefront, sorted.neverDecreasing(kernel)};
  // The tiles are long in the first function.
  std::stable_sort(wavefront.functions.begin(), wavefront.functions.end(),
                   [](const TaskFunction &a, const TaskFunction &b) { return a.isX > b.isX; });
  if (wavefront.functions.size() > 1)
    return wavefront;
  for (const TaskFunction &outer : sorted.ordered)
    if (auto rounds = sorted.rounds(kernel, outer, sorted.others))
      return *rounds;
  return {};
}

TaskFunctions itemsOf(const Scheduled &kernel, const Sorted &sorted) {
  if (!sorted.unchanged.empty())
    return {TaskOrder::Any, sorted.unchanged};
  // Time comes first, because it leaves all places to the items.
  std::vector<TaskFunction> all = sorted.ordered;
  all.insert(all.end(), sorted.others.begin(), sorted.others.end());
  TaskFunctions best;
  for (const TaskFunction &outer : sorted.ordered)
    if (auto rounds = sorted.rounds(kernel, outer, all);
        rounds && rounds->functions.size() > best.functions.size())
      best = std::move(*rounds);
  if (!best.functions.empty())
    return best;
  std::vector<TaskFunction> wavefront = sorted.neverDecreasing(kernel);
  if (wavefront.size() < 2)
    return {};
  TaskFunction diagonal = wavefront.front();
  for (std::size_t k = 1; k < wavefront.size(); ++k) {
    diagonal.value = plus(diagonal.value, wavefront[k].value);
    diagonal.name += " + " + wavefront[k].name;
  }
  diagonal.isX = false;
  // All but one follow from the sum and the others; x stays, because its neighbours are contiguous.
  const auto last = std::find_if(wavefront.begin(), wavefront.end(), [](const auto &f) { return !f.isX; });
  wavefront.erase(last == wavefront.end() ? wavefront.begin() : last);
  TaskFunctions diagonals{TaskOrder::Rounds, {diagonal}};
  diagonals.functions.insert(diagonals.functions.end(), wavefront.begin(), wavefront.end());
  return diagonals;
}

} // namespace

TaskFunctions taskFunctions(const Scheduled &kernel) {
  TaskFunctions found = tasksOf(kernel, Sorted(kernel, false));
  return found.functions.empty() ? tasksOf(kernel, Sorted(kernel, true)) : found;
}

TaskFunctions itemFunctions(const Scheduled &kernel) {
  TaskFunctions found = itemsOf(kernel, Sorted(kernel, false));
  return found.functions.empty() ? itemsOf(kernel, Sorted(kernel, true)) : found;
}

} // namespace pbc::kernel
