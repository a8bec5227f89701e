// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/through_time.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::schedule {
namespace {

isl::schedule_node outermost(const Step &step) {
  const isl::schedule_node root = isl::manage(isl_schedule_get_root(step.order.get()));
  return isl::manage(isl_schedule_node_get_child(root.get(), 0));
}

/// The outermost loop, if it runs in order.
std::optional<isl::multi_union_pw_aff> turnsOf(const isl::schedule_node &band) {
  if (isl_schedule_node_get_type(band.get()) != isl_schedule_node_band ||
      isl_schedule_node_band_member_get_coincident(band.get(), 0) == isl_bool_true)
    return std::nullopt;
  const auto members = static_cast<unsigned>(isl_schedule_node_band_n_member(band.get()));
  isl_multi_union_pw_aff *loops = isl_schedule_node_band_get_partial_schedule(band.get());
  return isl::manage(isl_multi_union_pw_aff_drop_dims(loops, isl_dim_out, 1, members - 1));
}

/// The dependences between points that a turn of the band does not run one after the other in a sequence: such a sequence counts as time, too
/// (kernel/task_functions.h).
isl::union_map besideEachOther(const isl::schedule_node &band, const isl::union_map &inTurn) {
  const isl::schedule_node sequence = isl::manage(isl_schedule_node_get_child(band.get(), 0));
  if (isl_schedule_node_get_type(sequence.get()) != isl_schedule_node_sequence)
    return inTurn;
  isl::union_map all = isl::manage(isl_union_map_empty(isl_union_map_get_space(inTurn.get())));
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(sequence.get())); k < n; ++k) {
    const isl::schedule_node child = isl::manage(isl_schedule_node_get_child(sequence.get(), k));
    const isl::union_set points = isl::manage(isl_schedule_node_filter_get_filter(child.get()));
    all = all.unite(inTurn.intersect_domain(points).intersect_range(points));
  }
  return all;
}

/// { point -> coordinate `d` of the cell that it writes }; nothing if not all points write cells that have one.
std::optional<isl::union_map> coordinate(const sema::Transform &t, const choice::Grid &grid, const Step &step,
                                         int d) {
  isl::union_map all = isl::manage(isl_union_map_empty(isl_union_map_get_space(step.dependences.get())));
  for (const RuleUse &use : step.uses) {
    if (t.matrices[static_cast<std::size_t>(t.rules[use.rule].outputs.front().matrix)].rank() <= d)
      return std::nullopt;
    const isl::map cell = grid.applications[use.rule].writes.front().intersect_domain(use.domain);
    const auto rank = static_cast<unsigned>(isl_map_dim(cell.get(), isl_dim_out));
    isl_map *own = isl_map_project_out(cell.copy(), isl_dim_out, static_cast<unsigned>(d) + 1, rank - d - 1);
    own = isl_map_reset_tuple_id(isl_map_project_out(own, isl_dim_out, 0, static_cast<unsigned>(d)),
                                 isl_dim_out);
    all = all.unite(isl::union_map(isl::manage(own)));
  }
  return all;
}

/// Whether the value of some pair grows (1), or falls (-1).
bool moves(const isl::set &differences, int sign) {
  isl_set *moved = differences.copy();
  moved = sign > 0 ? isl_set_lower_bound_si(moved, isl_dim_set, 0, 1)
                   : isl_set_upper_bound_si(moved, isl_dim_set, 0, -1);
  return !isl::manage(moved).is_empty();
}

/// Whether no pair's values are further apart than some number that holds for all sizes.
bool areBounded(const isl::set &differences) {
  const isl::set all = isl::manage(isl_set_project_out_all_params(differences.copy()));
  return isl_set_is_bounded(all.get()) == isl_bool_true;
}

} // namespace

bool mayGoThroughTime(const sema::Transform &t, const choice::Grid &grid, const Step &step) {
  const isl::schedule_node band = outermost(step);
  const auto turns = turnsOf(band);
  if (!turns)
    return true;
  const isl::union_map inSameTurn =
      isl::manage(isl_union_map_eq_at_multi_union_pw_aff(step.dependences.copy(), turns->copy()));
  const isl::union_map inTurn = besideEachOther(band, inSameTurn);
  // Several rules that do not wait for each other in a turn run at once in slots of their own; in place they would take turns.
  const bool runAtOnce = step.uses.size() > 1 && inSameTurn.is_empty();
  const isl::union_map ofTurn = isl::manage(isl_union_map_from_multi_union_pw_aff(turns->copy())).reverse();
  for (int d = 0;; ++d) {
    const auto cells = coordinate(t, grid, step, d);
    if (!cells)
      return false;
    if (ofTurn.apply_range(*cells).is_single_valued())
      continue; // it counts the turns
    const auto differences = [&](const isl::union_map &pairs) -> std::optional<isl::set> {
      const isl::union_map moved = pairs.apply_domain(*cells).apply_range(*cells);
      if (moved.is_empty())
        return std::nullopt;
      return isl::manage(isl_map_deltas(isl_map_from_union_map(moved.copy()))).intersect_params(grid.context);
    };
    if (const auto all = differences(step.dependences); !runAtOnce && all && !areBounded(*all))
      continue; // a tile would lean without end
    const auto own = differences(inTurn);
    if (!own || !moves(*own, 1) || !moves(*own, -1))
      return true;
  }
}

} // namespace pbc::schedule
