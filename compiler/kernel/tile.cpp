#include "compiler/kernel/tile.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <isl/schedule.h>
#include <isl/val.h>

namespace pbc::kernel {

Outcome tile(const Kernel &kernel, const std::vector<long> &sizes) {
  const isl::schedule_node node =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.get()), 0));
  if (!isBand(node))
    return {std::nullopt, "its outermost node is not a band of loops"};
  if (static_cast<int>(sizes.size()) != members(node))
    return {std::nullopt, "it has " + std::to_string(members(node)) + " loops over its points, and " +
                              std::to_string(sizes.size()) + " tile sizes are given"};
  if (!isPermutable(node, kernel.dependences))
    return {std::nullopt,
            "a dependence goes backwards in one of its loops, so that tiles would need each other"};
  isl_multi_val *tiles = isl_multi_val_zero(isl_schedule_node_band_get_space(node.get()));
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] <= 0) {
      isl_multi_val_free(tiles);
      return {std::nullopt, "a tile size must be at least 1"};
    }
    tiles = isl_multi_val_set_val(tiles, static_cast<int>(k),
                                  isl_val_int_from_si(isl_multi_val_get_ctx(tiles), sizes[k]));
  }
  isl_schedule_node *tiled = isl_schedule_node_band_tile(node.copy(), tiles);
  Kernel changed = kernel;
  changed.schedule = isl::manage(isl_schedule_node_get_schedule(tiled));
  isl_schedule_node_free(tiled);
  changed.schedule = withFlags(changed.schedule, kernel.dependences);
  return {changed, ""};
}

} // namespace pbc::kernel
