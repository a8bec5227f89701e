// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/same_rows.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::schedule {
namespace {

bool hasLiftedCells(const sema::Transform &t, const std::vector<body::Facts> &facts, const RuleUse &use) {
  const sema::Rule &rule = t.rules[static_cast<std::size_t>(use.rule)];
  return !rule.library && use.overwritten.empty() && facts[static_cast<std::size_t>(use.rule)].liftable &&
         std::all_of(rule.outputs.begin(), rule.outputs.end(), [](const auto &o) { return o.isCell; });
}

/// Whether each point reads several cells of a row, which no other point reads.
bool areOwnRows(const isl::map &cells) {
  const auto rank = static_cast<unsigned>(isl_map_dim(cells.get(), isl_dim_out));
  if (rank <= static_cast<unsigned>(isl_map_dim(cells.get(), isl_dim_in)) ||
      isl_map_is_injective(cells.get()) != isl_bool_true)
    return false;
  const isl::map alongRow = isl::manage(isl_map_project_out(cells.copy(), isl_dim_out, 1, rank - 1));
  return isl_map_is_single_valued(alongRow.get()) == isl_bool_false;
}

} // namespace

bool readSameRows(const sema::Transform &t, const std::vector<body::Facts> &facts, const choice::Grid &grid,
                  const RuleUse &a, const RuleUse &b) {
  if (a.rule == b.rule || !hasLiftedCells(t, facts, a) || !hasLiftedCells(t, facts, b) ||
      isl_set_dim(a.domain.get(), isl_dim_set) != isl_set_dim(b.domain.get(), isl_dim_set))
    return false;
  const auto inSpaceOfFirst = [&](isl_set *points) {
    return isl::manage(isl_set_set_tuple_id(points, isl_set_get_tuple_id(a.domain.get())));
  };
  if (!a.domain.is_equal(inSpaceOfFirst(b.domain.copy())))
    return false;
  const auto &first = t.rules[static_cast<std::size_t>(a.rule)].inputs;
  const auto &second = t.rules[static_cast<std::size_t>(b.rule)].inputs;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = 0; j < second.size(); ++j) {
      if (first[i].matrix != second[j].matrix)
        continue;
      const isl::map one =
          grid.applications[static_cast<std::size_t>(a.rule)].reads[i].intersect_domain(a.domain);
      const isl::map other = isl::manage(isl_map_set_tuple_id(
          grid.applications[static_cast<std::size_t>(b.rule)].reads[j].intersect_domain(b.domain).release(),
          isl_dim_in, isl_set_get_tuple_id(a.domain.get())));
      if (areOwnRows(one) && one.is_equal(other))
        return true;
    }
  return false;
}

} // namespace pbc::schedule
