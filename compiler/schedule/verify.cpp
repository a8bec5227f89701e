// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/verify.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/schedule.h>
#include <isl/union_map.h>
#include <map>
#include <set>

namespace pbc::schedule {

namespace {

/// Whether all dependences end strictly later than they begin.
bool respectsDependences(const Step &step) {
  const isl::union_map order = isl::manage(isl_schedule_get_map(step.order.get()));
  const isl::union_map inTime = step.dependences.apply_domain(order).apply_range(order);
  if (inTime.is_empty())
    return true;
  const isl::map timed = isl::manage(isl_map_from_union_map(inTime.copy()));
  const isl::map later = isl::manage(isl_map_lex_lt(isl_space_domain(isl_map_get_space(timed.get()))));
  return timed.is_subset(later);
}

/// Checks that each cell has one value, and that every other write to it comes before.
void checkWrites(const sema::Transform &t, const choice::Grid &grid, const Plan &plan,
                 std::vector<std::string> &out) {
  struct Write {
    int step, use, matrix;
    isl::map results, overwritten;
  };
  std::vector<Write> writes;
  std::vector<std::set<int>> before;
  int uses = 0;
  for (const auto &step : plan.steps) {
    std::set<int> earlier(step.after.begin(), step.after.end());
    for (const int s : step.after)
      if (s < static_cast<int>(before.size()))
        earlier.insert(before[s].begin(), before[s].end());
    for (const auto &use : step.uses) {
      for (std::size_t o = 0; o < t.rules[use.rule].outputs.size(); ++o) {
        const isl::map all = grid.applications[use.rule].writes[o].intersect_domain(use.domain);
        const isl::map lost = use.overwritten.empty() ? isl::map::empty(all.get_space()) : use.overwritten[o];
        writes.push_back({static_cast<int>(before.size()), uses, t.rules[use.rule].outputs[o].matrix,
                          all.subtract(lost), lost});
      }
      ++uses;
    }
    before.push_back(std::move(earlier));
  }
  std::map<int, isl::set> written;
  for (const auto &w : writes) {
    const auto [at, isNew] = written.emplace(w.matrix, w.results.range());
    if (isNew)
      continue;
    // Outputs of one rule may overlap for some sizes: the last write counts (choice/applicable.cpp).
    const bool isShared = std::any_of(writes.begin(), writes.end(), [&](const Write &other) {
      return other.use != w.use && other.matrix == w.matrix && &other < &w &&
             !other.results.range().is_disjoint(w.results.range());
    });
    if (isShared)
      out.push_back(fmt::format("{}, {}: a cell of {} has two values", t.name, plan.alternative,
                                t.matrices[w.matrix].name));
    at->second = at->second.unite(w.results.range());
  }
  for (const auto &first : writes)
    for (const auto &last : writes) {
      if (first.matrix != last.matrix)
        continue;
      const isl::map pairs = first.overwritten.apply_range(last.results.reverse());
      if (!pairs.is_empty() &&
          !(first.step == last.step
                ? isl::union_map(pairs).is_subset(plan.steps[static_cast<std::size_t>(last.step)].dependences)
                : before[static_cast<std::size_t>(last.step)].count(first.step) != 0))
        out.push_back(fmt::format("{}, {}: a cell of {} is overwritten too late", t.name, plan.alternative,
                                  t.matrices[first.matrix].name));
    }
  for (const auto &piece : grid.pieces)
    if (t.matrices[piece.matrix].role == sema::Role::Output &&
        (!written.count(piece.matrix) || !piece.cells.is_subset(written.at(piece.matrix))))
      out.push_back(fmt::format("{}, {}: a piece of {} is not written", t.name, plan.alternative,
                                t.matrices[piece.matrix].name));
}

} // namespace

std::vector<std::string> verify(const sema::Module &module, const std::vector<choice::Choices> &choices,
                                const std::vector<TransformPlans> &plans) {
  std::vector<std::string> out;
  for (const auto &t : module.transforms)
    for (const auto &plan : plans[t.index].plans) {
      for (std::size_t s = 0; s < plan.steps.size(); ++s) {
        if (!respectsDependences(plan.steps[s]))
          out.push_back(fmt::format("{}, {}: step {} violates a dependence", t.name, plan.alternative, s));
        for (const int before : plan.steps[s].after)
          if (before >= static_cast<int>(s))
            out.push_back(fmt::format("{}, {}: step {} comes before step {} that it needs", t.name,
                                      plan.alternative, s, before));
      }
      checkWrites(t, choices[t.index].grid, plan, out);
    }
  return out;
}

} // namespace pbc::schedule
