// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/legal.h"
#include "compiler/kernel/tree.h"
#include <isl/aff.h>
#include <isl/schedule.h>
#include <isl/union_map.h>

namespace pbc::kernel {
namespace {

// Dependences between instances that reach this band and agree on all bands around it.
isl::union_map active(const isl::schedule_node &band, const isl::union_map &dependences) {
  isl::union_set domain = isl::manage(isl_schedule_node_get_domain(band.get()));
  isl::union_map here = dependences.intersect_domain(domain).intersect_range(domain);
  isl_multi_union_pw_aff *prefix = isl_schedule_node_get_prefix_schedule_multi_union_pw_aff(band.get());
  if (isl_multi_union_pw_aff_dim(prefix, isl_dim_set) == 0) {
    isl_multi_union_pw_aff_free(prefix);
    return here;
  }
  return isl::manage(isl_union_map_eq_at_multi_union_pw_aff(here.release(), prefix));
}

} // namespace

isl::union_map equalAt(const isl::union_map &dependences, const isl::union_pw_aff &value) {
  isl_multi_union_pw_aff *m = isl_multi_union_pw_aff_from_union_pw_aff(value.copy());
  return isl::manage(isl_union_map_eq_at_multi_union_pw_aff(dependences.copy(), m));
}

bool neverDecreases(const isl::union_map &dependences, const isl::union_pw_aff &f) {
  const isl::union_map value = isl::manage(isl_union_map_from_union_pw_aff(f.copy()));
  const isl::union_map down = isl::manage(isl_union_map_lex_gt_union_map(value.copy(), value.copy()));
  return dependences.intersect(down).is_empty();
}

bool isLegal(const isl::schedule &schedule, const isl::union_map &dependences) {
  const isl::union_map order = isl::manage(isl_schedule_get_map(schedule.get()));
  const isl::union_map notBefore = isl::manage(isl_union_map_lex_ge_union_map(order.copy(), order.copy()));
  return dependences.intersect(notBefore).is_empty();
}

bool isParallel(const isl::schedule_node &band, int k, const isl::union_map &dependences, bool outerMembers) {
  isl::union_map here = active(band, dependences);
  if (outerMembers)
    for (int outer = 0; outer < k; ++outer)
      here = equalAt(here, member(band, outer));
  return here.is_subset(equalAt(here, member(band, k)));
}

bool isPermutable(const isl::schedule_node &band, const isl::union_map &dependences) {
  const isl::union_map here = active(band, dependences);
  for (int k = 0; k < members(band); ++k)
    if (!neverDecreases(here, member(band, k)))
      return false;
  return true;
}

isl::schedule withFlags(const isl::schedule &schedule, const isl::union_map &dependences) {
  return mapBottomUp(schedule, [&](const isl::schedule_node &node) {
    if (!isBand(node))
      return node;
    isl_schedule_node *n = node.copy();
    for (int k = 0; k < members(node); ++k)
      n = isl_schedule_node_band_member_set_coincident(n, k, isParallel(node, k, dependences, false));
    return isl::manage(isl_schedule_node_band_set_permutable(n, isPermutable(node, dependences)));
  });
}

} // namespace pbc::kernel
