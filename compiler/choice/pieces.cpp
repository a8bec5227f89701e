// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/remainders.h"
#include "compiler/choice/steps.h"
#include "compiler/poly/conditions.h"
#include "compiler/poly/first_point.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/set.h>
#include <map>

namespace pbc::choice {

namespace {

struct Part {
  isl::set cells;
  std::vector<int> rules;
};

/// The rules of the best priority; rules of lower priority are used where it does not reach (language
/// reference 2.4). Rules that replace all others are added.
std::vector<int> bestLevel(const sema::Transform &t, const std::vector<int> &rules) {
  int best = INT32_MAX;
  for (const int r : rules)
    best = t.rules[r].replacesAll ? best : std::min(best, t.rules[r].priority);
  std::vector<int> kept;
  for (const int r : rules)
    if (t.rules[r].priority == best || t.rules[r].replacesAll)
      kept.push_back(r);
  return kept;
}

/// Explains why a rule that writes this matrix does not reach the uncovered cells: the first input that would
/// be outside.
void explainMiss(const sema::Transform &t, const sema::Rule &r, int matrix, const isl::set &missing,
                 const Spaces &spaces, source::Diagnostic &error) {
  for (const auto &output : r.outputs) {
    if (output.matrix != matrix)
      continue;
    isl::set points = spaces.access(r, output).intersect_range(missing).domain();
    for (const auto &b : r.outputs)
      points = points.intersect(spaces.inBounds(r, b));
    if (points.is_empty())
      continue;
    for (const auto &b : r.inputs) {
      const isl::set inside = points.intersect(spaces.inBounds(r, b));
      if (inside.is_empty()) {
        const auto &m = t.matrices[b.matrix];
        std::string extents;
        for (int d = 0; d < m.rank(); ++d)
          extents += (d ? ", " : "") + m.extents[d].written;
        error.note(b.span, fmt::format("rule `{}` cannot: there `{}` would reach outside of `{}[{}]`",
                                       r.label, sema::written(t, b), m.name, extents));
        return;
      }
      points = inside;
    }
    if (!r.where.empty() && points.intersect(spaces.whereHolds(r)).is_empty())
      error.note(r.where.front().span,
                 fmt::format("rule `{}` cannot: its `where` clause excludes them", r.label));
    return;
  }
}

/// Notes which rules read the uncovered cells, and where. For outputs this is not needed.
void noteReaders(const sema::Transform &t, int matrix, const isl::set &missing, const Spaces &spaces,
                 const Grid &grid, source::Diagnostic &error) {
  if (t.matrices[matrix].role == sema::Role::Output &&
      !missing.intersect(spaces.declaredCells(matrix)).is_empty())
    return;
  for (const auto &application : grid.applications) {
    const sema::Rule &r = t.rules[application.rule];
    for (std::size_t i = 0; i < r.inputs.size(); ++i) {
      if (r.inputs[i].matrix != matrix)
        continue;
      const isl::set points = application.reads[i].intersect_range(missing).domain();
      if (points.is_empty())
        continue;
      const std::string at = poly::firstPoint(points, r.freeVariables);
      error.note(r.inputs[i].span,
                 fmt::format("rule `{}` reads this{}{}", r.label, at.empty() ? "" : " at ", at));
    }
  }
}

/// Whether the sizes are bad because of a comparison (`h > w`), and not only because of the remainder of a division
/// (an odd `n`), which programs may leave to their users.
bool isByComparison(const isl::set &bad, const isl::set &large) {
  const isl::set hull = isl::manage(isl_set_remove_divs(bad.intersect(large).release()));
  return !hull.is_empty() && !large.is_subset(hull);
}

/// A matrix that has cells without a rule at some large sizes: the program refuses to run there.
void warnOfRefused(const sema::Transform &t, int matrix, const isl::set &missing, const isl::set &large,
                   const Spaces &spaces, source::Diagnostics &diagnostics) {
  if (large.is_empty() || !isByComparison(missing.params(), large))
    return;
  const auto &m = t.matrices[matrix];
  const isl::set sizes = poly::simplified(missing.intersect_params(large).params().gist(large));
  const auto when = poly::conditions(sizes);
  auto &warning = diagnostics.warning(
      m.span, fmt::format("no rule computes all cells of `{}` where {}", m.name,
                          when && !when->empty() ? *when : "some sizes are larger than others"));
  for (const auto &r : t.rules)
    explainMiss(t, r, matrix, missing.intersect_params(large), spaces, warning);
  warning.help(
      "a run or call with such sizes ends with a message: correct the sizes that the matrix is declared "
      "with, or add a rule for the other cells");
}

void reportUncovered(const sema::Transform &t, int matrix, const isl::set &missing, const Spaces &spaces,
                     Grid &grid, source::Diagnostics &diagnostics) {
  const auto &m = t.matrices[matrix];
  constexpr long kLarge = 1000;
  const isl::set large = spaces.sizesFrom(kLarge);
  const isl::set bad = missing.params();
  if (large.is_empty() || !large.is_subset(bad)) {
    warnOfRefused(t, matrix, missing, large, spaces, diagnostics);
    grid.guards.push_back(
        {bad, fmt::format("no rule of `{}` computes all cells of `{}` for these sizes", t.name, m.name)});
    return;
  }
  const isl::set shown = poly::simplified(missing.intersect_params(large).gist_params(large));
  const std::string example = poly::example(missing.intersect_params(spaces.context()), grid.names[matrix]);
  auto &error = diagnostics.error(m.span, fmt::format("no rule computes {}{}",
                                                      poly::readable(shown, grid.names[matrix]),
                                                      example.empty() ? "" : " (" + example + ")"));
  for (const auto &r : t.rules)
    explainMiss(t, r, matrix, missing.intersect_params(large), spaces, error);
  const bool isExplained = !error.notes.empty();
  if (m.before)
    error.help(fmt::format("what keeps its value needs a rule, too: `secondary`, from the cell of `old {}`",
                           m.name));
  noteReaders(t, matrix, missing.intersect_params(large), spaces, grid, error);
  error.help(!isExplained
                 ? "add a rule that computes these cells"
                 : "correct the region, or add a rule for these cells (`secondary` if it is to serve only "
                   "what the others do not reach)");
}

/// What must be computed: outputs, and whatever some rule reads.
isl::set neededCells(const sema::Transform &t, int matrix, const Spaces &spaces, const Grid &grid) {
  isl::set needed = t.matrices[matrix].role == sema::Role::Output
                        ? spaces.declaredCells(matrix)
                        : isl::set::empty(spaces.cells(matrix).get_space());
  for (const auto &application : grid.applications) {
    const auto &inputs = t.rules[application.rule].inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].matrix == matrix)
        needed = needed.unite(application.reads[i].range());
  }
  return needed;
}

} // namespace

void cutIntoPieces(const sema::Transform &t, const Spaces &spaces, Grid &grid,
                   source::Diagnostics &diagnostics) {
  for (int matrix = 0; matrix < static_cast<int>(t.matrices.size()); ++matrix) {
    if (t.matrices[matrix].role == sema::Role::Input)
      continue;
    const isl::set whole = spaces.cells(matrix).intersect_params(grid.context);
    std::vector<Part> parts;       // of the cells with a rule
    std::vector<isl::set> reached; // what the rules so far reach
    isl::set left = whole;         // without the first `subtracted` of these
    std::size_t subtracted = 0;
    const auto cellsWithoutRule = [&] {
      if (reached.size() > subtracted + 1 && coverByRemainders(whole, reached))
        left = isl::set::empty(whole.get_space()), subtracted = reached.size();
      for (; subtracted < reached.size(); ++subtracted)
        left = poly::simplified(left.subtract(reached[subtracted]));
      return left;
    };
    for (const auto &application : grid.applications) {
      const auto &r = t.rules[application.rule];
      isl::set reach = isl::set::empty(whole.get_space());
      bool writes = false;
      for (std::size_t i = 0; i < r.outputs.size(); ++i)
        if (r.outputs[i].matrix == matrix)
          writes = true, reach = reach.unite(application.writes[i].range());
      if (!writes)
        continue;
      reach = poly::simplified(whole.intersect(reach));
      if (reach.is_empty())
        continue;
      // Then only cells without a rule meet `reach`. Their set is left out: its conditions are those of all rules before,
      // and each class of remainders (`B.cell(7*i+3)`) would collect the conditions of all the others.
      const bool isApart = std::all_of(reached.begin(), reached.end(),
                                       [&](const isl::set &other) { return other.is_disjoint(reach); });
      if (isApart) {
        parts.push_back({reach, {r.index}});
        reached.push_back(std::move(reach));
        continue;
      }
      std::vector<Part> next;
      parts.push_back({cellsWithoutRule(), {}});
      for (auto &part : parts) {
        const isl::set inside = part.cells.intersect(reach), outside = part.cells.subtract(reach);
        if (!inside.is_empty()) {
          next.push_back({poly::simplified(inside), part.rules});
          next.back().rules.push_back(r.index);
        }
        if (!part.rules.empty() && !outside.is_empty())
          next.push_back({poly::simplified(outside), part.rules});
      }
      parts = std::move(next);
      reached.push_back(std::move(reach));
    }
    if (const isl::set rest = cellsWithoutRule(); !rest.is_empty())
      parts.push_back({rest, {}});
    std::map<std::vector<int>, isl::set> merged;
    std::vector<std::vector<int>> order;
    isl::set missing = isl::set::empty(spaces.cells(matrix).get_space());
    for (const auto &part : parts) {
      if (std::all_of(part.rules.begin(), part.rules.end(), [&](int r) { return t.rules[r].replacesAll; })) {
        missing = missing.unite(part.cells);
        continue;
      }
      const auto rules = bestLevel(t, part.rules);
      if (const auto at = merged.find(rules); at != merged.end())
        at->second = at->second.unite(part.cells);
      else
        merged.emplace(rules, part.cells), order.push_back(rules);
    }
    std::sort(order.begin(), order.end());
    for (const auto &rules : order)
      grid.pieces.push_back({matrix, poly::simplified(merged.at(rules)), rules});
    missing = missing.intersect(neededCells(t, matrix, spaces, grid));
    if (!missing.is_empty())
      reportUncovered(t, matrix, poly::simplified(missing), spaces, grid, diagnostics);
  }
}

} // namespace pbc::choice
