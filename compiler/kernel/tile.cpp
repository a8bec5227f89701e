// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/tile.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/val.h>

namespace pbc::kernel {

Outcome tile(const Scheduled &kernel, const std::vector<long> &sizes) {
  const isl::schedule_node node =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.tree.get()), 0));
  if (!isBand(node))
    return {std::nullopt, "its outermost node is not a band of loops"};
  if (static_cast<int>(sizes.size()) != members(node))
    return {std::nullopt, "it has " + std::to_string(members(node)) + " loops over its points, and " +
                              std::to_string(sizes.size()) + " tile sizes are given"};
  if (!isPermutable(node, kernel.dependences))
    return {std::nullopt,
            "a dependence goes backwards in one of its loops, so that tiles would need each other"};
  if (std::any_of(sizes.begin(), sizes.end(), [](long size) { return size < 0; }))
    return {std::nullopt, "a tile size is 1 to 999999999, or 0 for a loop that is not cut"};
  isl_union_pw_aff_list *tiles = isl_union_pw_aff_list_alloc(isl_schedule_node_get_ctx(node.get()), 0);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] == 0)
      continue;
    const isl::val size(node.ctx(), sizes[k]);
    isl_union_pw_aff *place = member(node, static_cast<int>(k)).release();
    place = isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(place, size.copy()));
    tiles = isl_union_pw_aff_list_add(tiles, isl_union_pw_aff_scale_val(place, size.copy()));
  }
  const auto cut = static_cast<unsigned>(isl_union_pw_aff_list_n_union_pw_aff(tiles));
  if (cut == 0) {
    isl_union_pw_aff_list_free(tiles);
    return {std::nullopt, "no loop is to be cut"};
  }
  isl_space *space = isl_space_params(isl_schedule_node_band_get_space(node.get()));
  space = isl_space_add_dims(isl_space_set_from_params(space), isl_dim_set, cut);
  isl_schedule_node *tiled = isl_schedule_node_insert_partial_schedule(
      node.copy(), isl_multi_union_pw_aff_from_union_pw_aff_list(space, tiles));
  Scheduled changed = kernel;
  changed.schedule.tree = isl::manage(isl_schedule_node_get_schedule(tiled));
  isl_schedule_node_free(tiled);
  changed.schedule.tree = withFlags(changed.schedule.tree, kernel.dependences);
  return {changed, ""};
}

} // namespace pbc::kernel
