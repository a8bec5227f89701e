// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/in_order.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <vector>

namespace pbc::schedule {
namespace {

/// Adds places further inside.
isl::union_map inside(const isl::union_map &places, const isl::union_map &below) {
  return isl::manage(isl_union_map_flat_range_product(places.copy(), below.copy()));
}

isl::union_map nowhere(const isl::schedule_node &node) {
  return isl::manage(isl_union_map_from_domain(isl_schedule_node_get_domain(node.get())));
}

isl::union_map below(const isl::schedule_node &);

isl::union_map child(const isl::schedule_node &node, int k) {
  return below(isl::manage(isl_schedule_node_get_child(node.get(), k)));
}

/// The loops of the band, parallel ones in both directions.
isl::union_map ofBand(const isl::schedule_node &node) {
  isl::union_map places = nowhere(node);
  isl_multi_union_pw_aff *loops = isl_schedule_node_band_get_partial_schedule(node.get());
  for (int k = 0; k < isl_schedule_node_band_n_member(node.get()); ++k) {
    const isl::union_pw_aff loop = isl::manage(isl_multi_union_pw_aff_get_union_pw_aff(loops, k));
    places = inside(places, isl::manage(isl_union_map_from_union_pw_aff(loop.copy())));
    if (isl_schedule_node_band_member_get_coincident(node.get(), k))
      places =
          inside(places, isl::manage(isl_union_map_from_union_pw_aff(isl_union_pw_aff_neg(loop.copy()))));
  }
  isl_multi_union_pw_aff_free(loops);
  return inside(places, child(node, 0));
}

isl::union_map ofSequence(const isl::schedule_node &node) {
  isl::union_map all =
      isl::manage(isl_union_map_empty(isl_space_params_alloc(isl_schedule_node_get_ctx(node.get()), 0)));
  const int children = isl_schedule_node_n_children(node.get());
  for (int k = 0; k < children; ++k) {
    const isl::union_map further = child(node, k);
    isl_union_map *place = isl_union_map_from_domain(isl_union_map_domain(further.copy()));
    isl_set *number = isl_set_universe(isl_space_set_alloc(isl_union_map_get_ctx(place), 0, 1));
    number = isl_set_fix_si(number, isl_dim_set, 0, k);
    place = isl_union_map_from_domain_and_range(isl_union_map_domain(place), isl_union_set_from_set(number));
    all = all.unite(inside(isl::manage(place), further));
  }
  return all;
}

isl::union_map below(const isl::schedule_node &node) {
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_band:
    return ofBand(node);
  case isl_schedule_node_sequence:
    return ofSequence(node);
  case isl_schedule_node_domain:
  case isl_schedule_node_filter:
    return child(node, 0);
  default:
    return nowhere(node);
  }
}

/// Zeros behind the places of all maps, so that they have as many dimensions.
isl::union_map padded(const isl::union_map &places) {
  std::vector<isl::map> maps;
  isl_union_map_foreach_map(
      places.get(),
      [](isl_map *map, void *all) {
        static_cast<std::vector<isl::map> *>(all)->push_back(isl::manage(map));
        return isl_stat_ok;
      },
      &maps);
  isl_size most = 0;
  for (const isl::map &map : maps)
    most = std::max(most, isl_map_dim(map.get(), isl_dim_out));
  isl::union_map all = isl::manage(isl_union_map_empty(isl_union_map_get_space(places.get())));
  for (const isl::map &map : maps) {
    const auto own = static_cast<unsigned>(isl_map_dim(map.get(), isl_dim_out));
    isl_map *wider = isl_map_add_dims(map.copy(), isl_dim_out, static_cast<unsigned>(most) - own);
    for (unsigned d = own; d < static_cast<unsigned>(most); ++d)
      wider = isl_map_fix_si(wider, isl_dim_out, d, 0);
    all = all.unite(isl::union_map(isl::manage(wider)));
  }
  return all;
}

} // namespace

bool allEndLater(const isl::union_map &pairs, const isl::union_map &places) {
  const isl::union_map moved = pairs.apply_domain(places).apply_range(places);
  if (moved.is_empty())
    return true;
  // Nothing is behind; what does not move in one loop is left for the loops inside.
  isl_set *still = isl_map_deltas(isl_map_from_union_map(moved.copy()));
  const auto loops = static_cast<unsigned>(isl_set_dim(still, isl_dim_set));
  bool isLater = true;
  for (unsigned d = 0; d < loops && isLater; ++d) {
    isl_set *back = isl_set_upper_bound_si(isl_set_copy(still), isl_dim_set, d, -1);
    isLater = isl_set_is_empty(back) == isl_bool_true;
    isl_set_free(back);
    still = isl_set_fix_si(still, isl_dim_set, d, 0);
  }
  isLater = isLater && isl_set_is_empty(still) == isl_bool_true;
  isl_set_free(still);
  return isLater;
}

isl::union_map placesInOrder(const isl::schedule &order) {
  return padded(below(isl::manage(isl_schedule_get_root(order.get()))));
}

} // namespace pbc::schedule
