// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/unread.h"
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::schedule {
namespace {

/// The one output of a rule, if it writes cells of a temporary with versions and nothing else.
bool writesVersions(const sema::Transform &t, const sema::Rule &r) {
  if (r.outputs.size() != 1 || r.library)
    return false;
  const sema::Matrix &m = t.matrices[static_cast<std::size_t>(r.outputs.front().matrix)];
  return m.role == sema::Role::Through && m.isVersioned;
}

/// Whether there is at most one version among the cells, whatever the sizes are.
bool haveOneVersion(const isl::set &cells) {
  isl_set *versions = isl_set_reset_tuple_id(cells.copy());
  versions = isl_set_project_out(versions, isl_dim_set, 0,
                                 static_cast<unsigned>(isl_set_dim(versions, isl_dim_set)) - 1);
  const bool isOne = isl_set_is_singleton(versions) == isl_bool_true;
  isl_map *ofSizes = isl_map_from_range(versions);
  const bool isOneEach = isl_map_is_single_valued(ofSizes) == isl_bool_true;
  isl_map_free(ofSizes);
  return isOne || isOneEach;
}

/// The cells of the matrix that the uses read.
std::optional<isl::set> readOf(const sema::Transform &t, const choice::Grid &grid,
                               const std::vector<RuleUse> &uses, int matrix) {
  std::optional<isl::set> all;
  for (const RuleUse &use : uses) {
    const sema::Rule &r = t.rules[static_cast<std::size_t>(use.rule)];
    for (std::size_t i = 0; i < r.inputs.size(); ++i)
      if (r.inputs[i].matrix == matrix) {
        const isl::set cells = grid.applications[static_cast<std::size_t>(use.rule)]
                                   .reads[i]
                                   .intersect_domain(use.domain)
                                   .range();
        all = all ? all->unite(cells) : cells;
      }
  }
  return all;
}

} // namespace

void leaveOutUnread(const sema::Transform &t, const std::vector<body::Facts> &facts, const choice::Grid &grid,
                    std::vector<RuleUse> &uses) {
  for (RuleUse &use : uses) {
    const sema::Rule &r = t.rules[static_cast<std::size_t>(use.rule)];
    const body::Facts &body = facts[static_cast<std::size_t>(use.rule)];
    if (!body.liftable || !body.callees.empty() || !writesVersions(t, r) || !use.overwritten.empty())
      continue;
    const isl::map writes =
        grid.applications[static_cast<std::size_t>(use.rule)].writes.front().intersect_domain(use.domain);
    if (haveOneVersion(writes.range()))
      continue;
    const auto read = readOf(t, grid, uses, r.outputs.front().matrix);
    const isl::map needed = read ? writes.intersect_range(*read) : writes.subtract(writes);
    if (haveOneVersion(needed.range()))
      use.domain = poly::simplified(needed.domain());
  }
  std::erase_if(uses, [](const RuleUse &use) { return use.domain.is_empty(); });
}

} // namespace pbc::schedule
