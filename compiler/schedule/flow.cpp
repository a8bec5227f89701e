// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/flow.h"
#include <algorithm>
#include <isl/map.h>
#include <isl/set.h>
#include <set>

namespace pbc::schedule {

namespace {

/// { point -> cell }: the cells that a use writes and no other one overwrites.
isl::map results(const choice::Grid &grid, const RuleUse &use, std::size_t output) {
  const isl::map all = grid.applications[use.rule].writes[output].intersect_domain(use.domain);
  return use.overwritten.empty() ? all : all.subtract(use.overwritten[output]);
}

/// { point of `a` that reads a cell of `before` -> point of `b` that writes this cell of `after` }
isl::map overwritingRead(const sema::Transform &t, const choice::Grid &grid, const RuleUse &a,
                         const RuleUse &b, int before, int after) {
  isl::map found = isl::map::empty(isl::manage(isl_space_map_from_domain_and_range(
      isl_set_get_space(a.domain.get()), isl_set_get_space(b.domain.get()))));
  const auto &inputs = t.rules[a.rule].inputs;
  const auto &outputs = t.rules[b.rule].outputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      if (inputs[i].matrix != before || outputs[o].matrix != after)
        continue;
      const isl::map &writes = grid.applications[b.rule].writes[o];
      isl_map *read = grid.applications[a.rule].reads[i].intersect_domain(a.domain).release();
      read = isl_map_set_tuple_name(read, isl_dim_out, isl_map_get_tuple_name(writes.get(), isl_dim_out));
      found = found.unite(isl::manage(read).apply_range(writes.intersect_domain(b.domain).reverse()));
    }
  return poly::simplified(found);
}

bool isAmong(const std::vector<sema::Binding> &list, int matrix) {
  return std::any_of(list.begin(), list.end(), [&](const sema::Binding &b) { return b.matrix == matrix; });
}

/// Whether the use `b` needs results of `a`, if only by others.
bool isNeeded(const Flow &flow, std::size_t a, std::size_t b) {
  std::set<std::size_t> found{a};
  for (std::vector<std::size_t> open{a}; !open.empty();) {
    const std::size_t at = open.back();
    open.pop_back();
    for (std::size_t next = 0; next < flow.size(); ++next)
      if (!flow[at][next].is_empty() && found.insert(next).second)
        open.push_back(next);
  }
  return found.contains(b);
}

} // namespace

isl::map flow(const sema::Transform &t, const choice::Grid &grid, const RuleUse &a, const RuleUse &b) {
  const auto &reader = grid.applications[b.rule];
  const auto &outputs = t.rules[a.rule].outputs;
  isl::map found = isl::map::empty(isl::manage(isl_space_map_from_domain_and_range(
      isl_set_get_space(a.domain.get()), isl_set_get_space(b.domain.get()))));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    for (std::size_t i = 0; i < reader.reads.size(); ++i)
      if (outputs[o].matrix == t.rules[b.rule].inputs[i].matrix)
        found = found.unite(
            results(grid, a, o).apply_range(reader.reads[i].intersect_domain(b.domain).reverse()));
  return poly::simplified(found);
}

isl::map overwriting(const sema::Transform &t, const choice::Grid &grid, const RuleUse &a, const RuleUse &b) {
  isl::map found = isl::map::empty(isl::manage(isl_space_map_from_domain_and_range(
      isl_set_get_space(a.domain.get()), isl_set_get_space(b.domain.get()))));
  const auto &first = t.rules[a.rule].outputs, &second = t.rules[b.rule].outputs;
  for (std::size_t o = 0; o < a.overwritten.size(); ++o)
    for (std::size_t p = 0; p < second.size(); ++p)
      if (first[o].matrix == second[p].matrix)
        found = found.unite(a.overwritten[o].apply_range(results(grid, b, p).reverse()));
  return poly::simplified(found);
}

isl::map updates(const choice::Application &a, const isl::set &domain) {
  const isl::space space = domain.get_space();
  isl::map turns = isl::map::empty(isl::manage(isl_space_map_from_set(space.copy())));
  for (const auto &writes : a.writes)
    if (const isl::map mine = writes.intersect_domain(domain); !mine.is_injective())
      turns =
          turns.unite(mine.apply_range(mine.reverse()).intersect(isl::manage(isl_map_lex_lt(space.copy()))));
  return turns;
}

void readBeforeUpdates(const sema::Transform &t, const choice::Grid &grid, const std::vector<RuleUse> &uses,
                       Flow &flow) {
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
    if (const auto before = t.matrices[m].before)
      for (std::size_t a = 0; a < uses.size(); ++a) {
        const sema::Rule &reader = t.rules[uses[a].rule];
        if (!isAmong(reader.inputs, *before) || isAmong(reader.outputs, m))
          continue;
        for (std::size_t b = 0; b < uses.size(); ++b)
          if (isAmong(t.rules[uses[b].rule].outputs, m) && !isNeeded(flow, b, a))
            flow[a][b] = flow[a][b].unite(overwritingRead(t, grid, uses[a], uses[b], *before, m));
      }
}

} // namespace pbc::schedule
