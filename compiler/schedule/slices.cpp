// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/slices.h"
#include "compiler/schedule/distribute.h"
#include "compiler/schedule/versions.h"
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::schedule {

std::optional<VersionsOfUse> versionWritten(const sema::Transform &t, const choice::Grid &grid,
                                            const RuleUse &use, bool likeVersions) {
  const auto &r = t.rules[use.rule];
  for (std::size_t o = 0; o < r.outputs.size(); ++o) {
    const auto &m = t.matrices[r.outputs[o].matrix];
    if (m.role != sema::Role::Through || !(m.isVersioned || (likeVersions && isLikeVersioned(m))))
      continue;
    // Of all points of the rule where that is possible, so that its uses have the same function.
    isl_map *version = grid.applications[use.rule].writes[o].copy();
    version = isl_map_project_out(version, isl_dim_out, 0, static_cast<unsigned>(m.rank() - 1));
    version = isl_map_reset_tuple_id(version, isl_dim_out);
    if (isl_map_is_single_valued(version) != isl_bool_true)
      version = isl_map_intersect_domain(version, use.domain.copy());
    if (isl_map_is_single_valued(version) != isl_bool_true) {
      isl_map_free(version);
      return std::nullopt;
    }
    isl_pw_aff *f = isl_pw_multi_aff_get_pw_aff(isl::manage(isl_pw_multi_aff_from_map(version)).get(), 0);
    // Holds also if the slice has no cells.
    return VersionsOfUse{r.outputs[o].matrix,
                         isl::manage(isl_pw_aff_gist(f, isl_pw_aff_domain(isl_pw_aff_copy(f))))};
  }
  return std::nullopt;
}

std::optional<isl::schedule> slicedOrder(const sema::Transform &t, const choice::Grid &grid,
                                         const std::vector<RuleUse> &uses, const isl::union_map &dependences,
                                         bool likeVersions) {
  std::vector<VersionsOfUse> versions;
  for (const auto &use : uses) {
    auto version = versionWritten(t, grid, use, likeVersions);
    if (!version)
      return std::nullopt;
    versions.push_back(std::move(*version));
  }
  const std::optional<isl::union_pw_aff> version = alignVersions(versions, dependences);
  if (!version)
    return std::nullopt;
  const isl::union_map value = isl::manage(isl_union_map_from_union_pw_aff(version->copy()));
  const isl::union_map same = dependences.intersect(value.apply_range(value.reverse()));
  const auto slices = inComponents(uses, same, grid.context);
  if (!slices)
    return std::nullopt;
  return isl::manage(isl_schedule_insert_partial_schedule(
      slices->copy(), isl_multi_union_pw_aff_from_union_pw_aff(version->copy())));
}

} // namespace pbc::schedule
