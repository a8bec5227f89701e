// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/order.h"
#include "compiler/schedule/distribute.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <numeric>

namespace pbc::schedule {

namespace {

struct Loop {
  int dimension;
  int direction; // +1 forward, -1 backward
  bool coincident;
};

/// Deltas for which dimension `d` has the sign (-1, 0, +1).
isl::set withSign(const isl::set &deltas, int d, int sign) {
  isl_set *s = deltas.copy();
  if (sign == 0)
    s = isl_set_fix_si(s, isl_dim_set, static_cast<unsigned>(d), 0);
  else if (sign > 0)
    s = isl_set_lower_bound_si(s, isl_dim_set, static_cast<unsigned>(d), 1);
  else
    s = isl_set_upper_bound_si(s, isl_dim_set, static_cast<unsigned>(d), -1);
  return isl::manage(s);
}

/// The loops of this nesting, if every dependence ends later than it begins.
std::optional<std::vector<Loop>> tryNesting(const std::vector<int> &nesting, isl::set deltas) {
  std::vector<Loop> loops;
  for (const int d : nesting) {
    const bool up = !withSign(deltas, d, 1).is_empty(), down = !withSign(deltas, d, -1).is_empty();
    if (up && down)
      return std::nullopt;
    loops.push_back({d, down ? -1 : 1, !up && !down});
    deltas = withSign(deltas, d, 0);
  }
  if (!deltas.is_empty())
    return std::nullopt;
  return loops;
}

/// Whether all dependences go forward, or stay, in every loop: the band may be permuted and tiled.
bool isPermutable(const std::vector<Loop> &loops, const isl::set &deltas) {
  return std::all_of(loops.begin(), loops.end(),
                     [&](const Loop &l) { return withSign(deltas, l.dimension, -l.direction).is_empty(); });
}

isl::schedule bandOver(const isl::set &domain, const std::vector<Loop> &loops, bool permutable) {
  isl_schedule *schedule = isl_schedule_from_domain(isl_union_set_from_set(domain.copy()));
  if (loops.empty())
    return isl::manage(schedule);
  isl_space *space = isl_set_get_space(domain.get());
  isl_multi_union_pw_aff *partial = nullptr;
  isl_aff_list *affs = isl_aff_list_alloc(isl_space_get_ctx(space), static_cast<int>(loops.size()));
  for (const auto &loop : loops) {
    isl_aff *aff = isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)), isl_dim_set,
                                         static_cast<unsigned>(loop.dimension));
    affs = isl_aff_list_add(affs, loop.direction < 0 ? isl_aff_neg(aff) : aff);
  }
  isl_space *target = isl_space_from_domain(isl_space_copy(space));
  target = isl_space_add_dims(target, isl_dim_out, static_cast<unsigned>(loops.size()));
  isl_multi_aff *multi = isl_multi_aff_from_aff_list(target, affs);
  partial = isl_multi_union_pw_aff_from_union_pw_multi_aff(
      isl_union_pw_multi_aff_from_pw_multi_aff(isl_pw_multi_aff_from_multi_aff(multi)));
  isl_space_free(space);
  isl_schedule_node *node = isl_schedule_get_root(schedule);
  isl_schedule_free(schedule);
  node = isl_schedule_node_child(node, 0);
  node = isl_schedule_node_insert_partial_schedule(node, partial);
  for (std::size_t i = 0; i < loops.size(); ++i)
    node =
        isl_schedule_node_band_member_set_coincident(node, static_cast<int>(i), loops[i].coincident ? 1 : 0);
  node = isl_schedule_node_band_set_permutable(node, permutable ? 1 : 0);
  schedule = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return isl::manage(schedule);
}

/// Whether the points of one rule should run with the loop over `better` innermost instead of that over `first`.
bool isBetterInside(const isl::set &points, int first, int better, const std::vector<Cells> &cells) {
  const isl::union_set all(points);
  const auto walk = walkOf(all, static_cast<unsigned>(first), cells);
  if (!walk || !walk->isAgainst)
    return false;
  const auto other = walkOf(all, static_cast<unsigned>(better), cells);
  return other && other->keepsCells && !other->isAgainst;
}

std::optional<isl::schedule> orderOne(const RuleUse &use, const isl::union_map &dependences,
                                      const isl::set &context, const std::vector<Cells> &cells) {
  const int rank = static_cast<int>(isl_set_dim(use.domain.get(), isl_dim_set));
  isl::set deltas = isl::manage(
      isl_set_empty(isl_space_range(isl_space_map_from_set(isl_set_get_space(use.domain.get())))));
  if (!dependences.is_empty()) {
    const isl::map own = isl::manage(isl_map_from_union_map(dependences.copy())).intersect_params(context);
    deltas = own.deltas();
  }
  std::vector<int> nesting(static_cast<std::size_t>(rank));
  std::iota(nesting.rbegin(), nesting.rend(), 0); // rank-1, ..., 0: x inside
  std::sort(nesting.begin(), nesting.end(), std::greater<>());
  // More loops than two leave another one for vectors when versions are innermost or not: blocks of steps are better then.
  if (rank == 2 && isBetterInside(use.domain, nesting[1], nesting[0], cells))
    if (const auto loops = tryNesting({nesting[1], nesting[0]}, deltas))
      return bandOver(use.domain, *loops, isPermutable(*loops, deltas));
  do {
    if (const auto loops = tryNesting(nesting, deltas))
      return bandOver(use.domain, *loops, isPermutable(*loops, deltas));
  } while (std::prev_permutation(nesting.begin(), nesting.end()));
  return std::nullopt;
}

} // namespace

std::optional<isl::schedule> orderOf(const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                     const isl::set &context, const std::vector<Cells> &cells) {
  if (uses.size() == 1)
    if (auto order = orderOne(uses.front(), dependences, context, cells))
      return order;
  isl_union_set *domain = isl_union_set_from_set(uses.front().domain.copy());
  for (std::size_t i = 1; i < uses.size(); ++i)
    domain = isl_union_set_union(domain, isl_union_set_from_set(uses[i].domain.copy()));
  isl_schedule_constraints *constraints = isl_schedule_constraints_on_domain(domain);
  constraints = isl_schedule_constraints_set_context(constraints, context.copy());
  constraints = isl_schedule_constraints_set_validity(constraints, dependences.copy());
  constraints = isl_schedule_constraints_set_coincidence(constraints, dependences.copy());
  constraints = isl_schedule_constraints_set_proximity(constraints, dependences.copy());
  isl_ctx *ctx = isl_union_map_get_ctx(dependences.get());
  isl_schedule *schedule = isl_schedule_constraints_compute_schedule(constraints);
  if (!schedule) {
    isl_ctx_reset_error(ctx);
    return std::nullopt;
  }
  isl::schedule whole = isl::manage(schedule);
  if (uses.size() > 1)
    if (auto apart = distributed(uses, dependences, context, whole, cells))
      return apart;
  return whole;
}

} // namespace pbc::schedule
