// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/private_matrices.h"
#include "compiler/schedule/versions.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::schedule {
namespace {

/// The matrices that the bodies of a step read or write.
std::set<int> touched(const sema::Transform &t, const Step &step) {
  std::set<int> all;
  for (const RuleUse &use : step.uses)
    for (const auto *bindings : {&t.rules[use.rule].inputs, &t.rules[use.rule].outputs})
      for (const sema::Binding &b : *bindings)
        all.insert(b.matrix);
  return all;
}

/// The cells with their versions in the slots that the matrix has (versions.h); the grid knows of none.
isl::set inSlots(const isl::set &cells, const sema::Transform &t, const choice::Grid &grid, int matrix) {
  const std::vector<sema::Affine> &extents = t.matrices[matrix].extents;
  long slots = 0;
  if (!mayHaveSlots(t, matrix, grid))
    return cells;
  const std::string &text = extents.back().isl;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  if (error != std::errc() || end != text.data() + text.size() || slots < 1)
    return cells;
  std::string places;
  for (std::size_t d = 0; d + 1 < extents.size(); ++d)
    places += fmt::format("x{}, ", d);
  isl_map *fold = isl_map_read_from_str(isl_set_get_ctx(cells.get()),
                                        fmt::format("{{ [{0}v] -> [{0}v mod {1}] }}", places, slots).c_str());
  isl_id *name = isl_set_get_tuple_id(cells.get());
  isl_set *folded = isl_set_apply(isl_set_reset_tuple_id(cells.copy()), fold);
  return isl::manage(isl_set_set_tuple_id(folded, name));
}

} // namespace

std::map<int, isl::set> readElsewhere(const sema::Transform &t, const choice::Grid &grid,
                                      const TransformPlans &plans, const Step &step) {
  std::map<int, isl::set> all;
  for (const int m : touched(t, step)) {
    if (t.matrices[m].role != sema::Role::Through)
      continue;
    isl::set read;
    for (const Plan &plan : plans.plans) {
      if (std::none_of(plan.steps.begin(), plan.steps.end(),
                       [&](const Step &s) { return isSameStep(s, step); }))
        continue;
      for (const Step &other : plan.steps)
        for (const RuleUse &use : other.uses)
          for (std::size_t i = 0; i < t.rules[use.rule].inputs.size(); ++i) {
            if (t.rules[use.rule].inputs[i].matrix != m || isSameStep(other, step))
              continue;
            const isl::set cells = grid.applications[use.rule].reads[i].intersect_domain(use.domain).range();
            read = read.is_null() ? cells : read.unite(cells);
          }
    }
    if (!read.is_null())
      all.emplace(m, inSlots(read, t, grid, m));
  }
  return all;
}

std::set<int> privateMatrices(const sema::Transform &t, const TransformPlans &plans, const Step &step) {
  std::set<int> own = touched(t, step);
  std::erase_if(own, [&](int m) { return t.matrices[m].role != sema::Role::Through; });
  for (const Plan &plan : plans.plans)
    for (const Step &other : plan.steps)
      if (!own.empty() && !isSameStep(step, other))
        for (const int m : touched(t, other))
          own.erase(m);
  return own;
}

} // namespace pbc::schedule
