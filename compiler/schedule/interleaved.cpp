// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/interleaved.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::schedule {
namespace {

constexpr long kMostBetween = 8; // cells between the two that a point writes: they lie in one cache line

/// The set with the name of another one.
isl::set named(const isl::set &points, const isl::set &like) {
  return isl::manage(isl_set_set_tuple_id(points.copy(), isl_set_get_tuple_id(like.get())));
}

/// Whether the cells of the same point are a constant and small number of cells apart along dimension 0, and equal in the others.
bool areBesideEachOther(const isl::map &first, const isl::map &second) {
  isl_map *other =
      isl_map_set_tuple_id(second.copy(), isl_dim_in, isl_map_get_tuple_id(first.get(), isl_dim_in));
  isl_set *apart = isl_map_deltas(isl_map_apply_domain(first.copy(), other));
  bool areBeside = isl_set_is_singleton(apart) == isl_bool_true;
  for (unsigned d = 0; areBeside && d < static_cast<unsigned>(isl_set_dim(apart, isl_dim_set)); ++d) {
    isl_val *distance = isl_set_plain_get_val_if_fixed(apart, isl_dim_set, d);
    const long cells =
        isl_val_is_int(distance) == isl_bool_true ? std::abs(isl_val_get_num_si(distance)) : -1;
    isl_val_free(distance);
    areBeside = d == 0 ? cells >= 1 && cells < kMostBetween : cells == 0;
  }
  isl_set_free(apart);
  return areBeside;
}

/// { point -> its coordinates, the last one first }
isl::multi_union_pw_aff coordinates(const isl::set &points) {
  isl_space *space = isl_set_get_space(points.get());
  const int rank = static_cast<int>(isl_set_dim(points.get(), isl_dim_set));
  isl_aff_list *all = isl_aff_list_alloc(isl_set_get_ctx(points.get()), rank);
  for (int d = rank - 1; d >= 0; --d)
    all = isl_aff_list_add(all, isl_aff_var_on_domain(isl_local_space_from_space(isl_space_copy(space)),
                                                      isl_dim_set, static_cast<unsigned>(d)));
  isl_space *target =
      isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, static_cast<unsigned>(rank));
  isl_pw_multi_aff *each = isl_pw_multi_aff_intersect_domain(
      isl_pw_multi_aff_from_multi_aff(isl_multi_aff_from_aff_list(target, all)), points.copy());
  return isl::manage(
      isl_multi_union_pw_aff_from_union_pw_multi_aff(isl_union_pw_multi_aff_from_pw_multi_aff(each)));
}

/// Whether some coordinate has one value for given sizes.
bool areAtOnePlace(const isl::set &points) {
  const auto rank = static_cast<unsigned>(isl_set_dim(points.get(), isl_dim_set));
  for (unsigned d = 0; d < rank; ++d) {
    isl_set *along = isl_set_project_out(points.copy(), isl_dim_set, d + 1, rank - d - 1);
    isl_map *value = isl_map_from_range(isl_set_project_out(along, isl_dim_set, 0, d));
    const bool isOne = isl_map_is_single_valued(value) == isl_bool_true;
    isl_map_free(value);
    if (isOne)
      return true;
  }
  return false;
}

/// Whether both write one matrix, each point of theirs a cell beside that of the other one.
bool writeBesideEachOther(const sema::Transform &t, const std::vector<body::Facts> &facts,
                          const choice::Grid &grid, const RuleUse &a, const RuleUse &b) {
  if (a.rule == b.rule)
    return false;
  for (const RuleUse *use : {&a, &b}) {
    const sema::Rule &rule = t.rules[static_cast<std::size_t>(use->rule)];
    if (rule.outputs.size() != 1 || !rule.outputs[0].isCell || rule.library || !use->overwritten.empty() ||
        !facts[static_cast<std::size_t>(use->rule)].liftable)
      return false;
  }
  const auto &first = t.rules[static_cast<std::size_t>(a.rule)];
  const auto &second = t.rules[static_cast<std::size_t>(b.rule)];
  const auto cells = [&](const RuleUse &use) {
    return grid.applications[static_cast<std::size_t>(use.rule)].writes[0].intersect_domain(use.domain);
  };
  return first.outputs[0].matrix == second.outputs[0].matrix &&
         isl_set_dim(a.domain.get(), isl_dim_set) == isl_set_dim(b.domain.get(), isl_dim_set) &&
         isl_set_dim(a.domain.get(), isl_dim_set) > 0 && areBesideEachOther(cells(a), cells(b));
}

} // namespace

bool areInterleaved(const sema::Transform &t, const std::vector<body::Facts> &facts, const choice::Grid &grid,
                    const RuleUse &a, const RuleUse &b) {
  return writeBesideEachOther(t, facts, grid, a, b) && a.domain.is_equal(named(b.domain, a.domain));
}

std::optional<SharedPoints> almostInterleaved(const sema::Transform &t, const std::vector<body::Facts> &facts,
                                              const choice::Grid &grid, const RuleUse &a, const RuleUse &b) {
  if (!writeBesideEachOther(t, facts, grid, a, b))
    return std::nullopt;
  const isl::set other = named(b.domain, a.domain);
  const isl::set onlyFirst = a.domain.subtract(other), onlySecond = other.subtract(a.domain);
  const bool isOfFirst = onlySecond.is_empty();
  const isl::set alone = isOfFirst ? onlyFirst : onlySecond;
  if ((!isOfFirst && !onlyFirst.is_empty()) || alone.is_empty() || !areAtOnePlace(alone))
    return std::nullopt;
  const isl::set both = isOfFirst ? other : a.domain;
  return SharedPoints{both, named(both, b.domain),
                      poly::simplified(isOfFirst ? alone : named(alone, b.domain)), isOfFirst};
}

isl::schedule interleavedOrder(const std::vector<RuleUse> &uses) {
  isl_union_set *domain = nullptr;
  isl_multi_union_pw_aff *loops = nullptr;
  isl_union_set_list *turns =
      isl_union_set_list_alloc(isl_set_get_ctx(uses.front().domain.get()), static_cast<int>(uses.size()));
  for (const RuleUse &use : uses) {
    isl_union_set *points = isl_union_set_from_set(use.domain.copy());
    turns = isl_union_set_list_add(turns, isl_union_set_universe(isl_union_set_copy(points)));
    domain = domain ? isl_union_set_union(domain, points) : points;
    isl_multi_union_pw_aff *own = coordinates(use.domain).release();
    loops = loops ? isl_multi_union_pw_aff_union_add(loops, own) : own;
  }
  const int rank = static_cast<int>(isl_set_dim(uses.front().domain.get(), isl_dim_set));
  isl_schedule *schedule = isl_schedule_from_domain(domain);
  isl_schedule_node *node = isl_schedule_node_child(isl_schedule_get_root(schedule), 0);
  isl_schedule_free(schedule);
  node = isl_schedule_node_insert_partial_schedule(node, loops);
  for (int d = 0; d < rank; ++d)
    node = isl_schedule_node_band_member_set_coincident(node, d, 1);
  node = isl_schedule_node_band_set_permutable(node, 1);
  node = isl_schedule_node_insert_sequence(isl_schedule_node_child(node, 0), turns);
  schedule = isl_schedule_node_get_schedule(node);
  isl_schedule_node_free(node);
  return isl::manage(schedule);
}

} // namespace pbc::schedule
