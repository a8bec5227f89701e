// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/walk.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/union_set.h>

namespace pbc::schedule {
namespace {

/// The coordinate `d` of the cells that are accessed.
isl::map coordinateAt(const isl::map &access, unsigned d) {
  const auto rank = static_cast<unsigned>(isl_map_dim(access.get(), isl_dim_out));
  isl_map *one = isl_map_project_out(access.copy(), isl_dim_out, d + 1, rank - d - 1);
  return isl::manage(
      isl_map_gist_domain(isl_map_project_out(one, isl_dim_out, 0, d), access.domain().release()));
}

/// Whether the access goes to another cell with each iteration of the loop over the variable.
bool movesAlong(const isl::map &access, unsigned variable) {
  for (unsigned d = 0; d < static_cast<unsigned>(isl_map_dim(access.get(), isl_dim_out)); ++d)
    if (isl_map_involves_dims(coordinateAt(access, d).get(), isl_dim_in, variable, 1) == isl_bool_true)
      return true;
  return false;
}

/// Whether the access goes from one row of its matrix to another one with each iteration of the loop over the variable.
bool movesAcrossRows(const isl::map &access, unsigned variable) {
  return isl_map_dim(access.get(), isl_dim_out) >= 2 && movesAlong(access, variable) &&
         isl_map_involves_dims(coordinateAt(access, 0).get(), isl_dim_in, variable, 1) != isl_bool_true;
}

} // namespace

std::optional<Walk> walkOf(const isl::union_set &points, unsigned variable, const std::vector<Cells> &cells) {
  std::vector<Cells> here;
  for (const Cells &one : cells) {
    isl_union_set *own = isl_union_set_from_set(one.access.domain().release());
    if (isl::manage(isl_union_set_intersect(own, points.copy())).is_empty())
      continue;
    if (isl_map_is_single_valued(one.access.get()) != isl_bool_true)
      return std::nullopt;
    here.push_back(one);
  }
  if (here.empty())
    return std::nullopt;
  const auto isWritten = [&](const Cells &one) {
    return std::any_of(here.begin(), here.end(), [&](const Cells &other) {
      return other.isWrite && isl_map_has_equal_space(one.access.get(), other.access.get()) == isl_bool_true;
    });
  };
  Walk walk;
  for (const Cells &one : here) {
    walk.isAgainst = walk.isAgainst || movesAcrossRows(one.access, variable);
    walk.keepsCells = walk.keepsCells && !(isWritten(one) && movesAlong(one.access, variable));
  }
  return walk;
}

} // namespace pbc::schedule
