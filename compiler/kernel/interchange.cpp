// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/interchange.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/schedule.h>

namespace pbc::kernel {

Outcome interchange(const Scheduled &kernel, const std::vector<int> &order) {
  isl::schedule_node node =
      isl::manage(isl_schedule_node_child(isl_schedule_get_root(kernel.schedule.tree.get()), 0));
  if (!isBand(node))
    return {std::nullopt, "its outermost node is not a band of loops"};
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (int k = 0; k < static_cast<int>(sorted.size()); ++k)
    if (static_cast<int>(sorted.size()) != members(node) || sorted[k] != k)
      return {std::nullopt,
              "the new order must name each of its " + std::to_string(members(node)) + " loops once"};
  isl_multi_union_pw_aff *partial = isl_schedule_node_band_get_partial_schedule(node.get());
  isl_multi_union_pw_aff *reordered = isl_multi_union_pw_aff_copy(partial);
  for (int k = 0; k < static_cast<int>(order.size()); ++k)
    reordered = isl_multi_union_pw_aff_set_union_pw_aff(
        reordered, k, isl_multi_union_pw_aff_get_union_pw_aff(partial, order[k]));
  isl_multi_union_pw_aff_free(partial);
  isl_schedule_node *bare = isl_schedule_node_delete(node.copy());
  Scheduled changed = kernel;
  bare = isl_schedule_node_insert_partial_schedule(bare, reordered);
  changed.schedule.tree = isl::manage(isl_schedule_node_get_schedule(bare));
  isl_schedule_node_free(bare);
  if (!isLegal(changed.schedule.tree, kernel.dependences))
    return {std::nullopt, "a value would be used before it is computed"};
  changed.schedule.tree = withFlags(changed.schedule.tree, kernel.dependences);
  return {changed, ""};
}

} // namespace pbc::kernel
