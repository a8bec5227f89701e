// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Removes points at which a rule would read cells that no rule computes, if these points are not needed.
//
//   M.cell(i) from(A.cell(i-1) a) {...}     M[0] has no rule
//   B.cell(i) from(M.cell(i) m) {...}       so this rule cannot run at i = 0,
//   primary B.cell(0) from() {...}          where another one computes B[0]
//
// A point stays if no other rule computes its cells: then the missing cell is reported, with the rule that
// reads it. A rule that could run nowhere else also keeps its points. Versions before the first one that a matrix declares need
// no rule; what is left out there may be missing to further rules:
//
//   P<1..n>[w], V<1..n>[w]
//   P<k>.cell(i) from(U<k-1>.cell(i) u) {...}     cannot run at k = 0
//   V<k>.cell(i) from(P<k>.cell(i) p) {...}       so neither can this rule, nor must it
#include "compiler/choice/remainders.h"
#include "compiler/choice/steps.h"
#include <map>

namespace pbc::choice {

namespace {

using Cells = std::map<int, isl::set>; // by matrix

isl::set without(const isl::set &from, const Cells &cells, int matrix) {
  const auto at = cells.find(matrix);
  return at == cells.end() ? from : from.subtract(at->second);
}

/// The cells of matrices other than inputs that no rule computes.
Cells missingCells(const sema::Transform &t, const Spaces &spaces, const Grid &grid) {
  Cells missing;
  for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m) {
    if (t.matrices[m].role == sema::Role::Input)
      continue;
    const isl::set whole = spaces.cells(m).intersect_params(grid.context);
    std::vector<isl::set> written;
    for (const Application &a : grid.applications) {
      const sema::Rule &r = t.rules[a.rule];
      for (std::size_t o = 0; o < r.outputs.size() && !r.replacesAll; ++o)
        if (r.outputs[o].matrix == m)
          written.push_back(a.writes[o].range());
    }
    if (coverByRemainders(whole, written))
      continue;
    isl::set left = whole;
    for (const isl::set &cells : written)
      left = left.subtract(cells);
    if (!left.is_empty())
      missing.emplace(m, poly::simplified(left));
  }
  return missing;
}

/// The rule's points that read some of these cells.
isl::set pointsReading(const sema::Rule &r, const Application &a, const Cells &cells) {
  isl::set points = isl::set::empty(a.domain.get_space());
  for (std::size_t i = 0; i < r.inputs.size(); ++i)
    if (const auto at = cells.find(r.inputs[i].matrix); at != cells.end())
      points = points.unite(a.reads[i].intersect_range(at->second).domain());
  return points;
}

/// The cells that all other rules compute at points that read no missing cell.
Cells computedByOthers(const sema::Transform &t, const Grid &grid, const std::vector<isl::set> &bad,
                       int rule) {
  Cells cells;
  for (const Application &a : grid.applications) {
    const sema::Rule &r = t.rules[a.rule];
    for (std::size_t o = 0; o < r.outputs.size() && a.rule != rule && !r.replacesAll; ++o) {
      const isl::set written = a.writes[o].intersect_domain(a.domain.subtract(bad[a.rule])).range();
      const auto [at, isNew] = cells.emplace(r.outputs[o].matrix, written);
      if (!isNew)
        at->second = at->second.unite(written);
    }
  }
  return cells;
}

/// The rule's points in the affine hull of `points` that write no cell, such as the rows of a matrix without columns.
/// The domain is simpler without them.
isl::set idleBeside(const isl::set &points, const Application &a) {
  isl::set idle = a.domain;
  for (const isl::map &writes : a.writes)
    idle = idle.subtract(writes.domain());
  return idle.intersect(isl::set(points.affine_hull()));
}

/// Whether points were left out.
bool leaveOut(const sema::Transform &t, const Spaces &spaces, Grid &grid, const Cells &missing) {
  std::vector<isl::set> bad;
  for (const Application &a : grid.applications)
    bad.push_back(pointsReading(t.rules[a.rule], a, missing));
  bool isAny = false;
  for (Application &a : grid.applications) {
    const sema::Rule &r = t.rules[a.rule];
    if (bad[a.rule].is_empty() || r.replacesAll)
      continue;
    const Cells others = computedByOthers(t, grid, bad, a.rule);
    isl::set unneeded = bad[a.rule];
    for (std::size_t o = 0; o < r.outputs.size(); ++o) {
      const int matrix = r.outputs[o].matrix;
      const isl::map writes = a.writes[o].intersect_domain(bad[a.rule]);
      const isl::set alone = without(writes.range(), others, matrix).intersect(spaces.declaredCells(matrix));
      unneeded = unneeded.subtract(writes.intersect_range(alone).domain());
    }
    if (unneeded.is_empty())
      continue;
    const isl::set domain = poly::simplified(a.domain.subtract(unneeded.unite(idleBeside(unneeded, a))));
    if (domain.is_empty())
      continue;
    isAny = true;
    a.domain = domain;
    for (auto *maps : {&a.writes, &a.reads})
      for (isl::map &map : *maps)
        map = map.intersect_domain(domain);
  }
  return isAny;
}

constexpr int kMostRounds = 16; // rules that feed each other one after the other

} // namespace

void leaveOutUncomputable(const sema::Transform &t, const Spaces &spaces, Grid &grid) {
  for (int round = 0; round < kMostRounds; ++round)
    if (const Cells missing = missingCells(t, spaces, grid);
        missing.empty() || !leaveOut(t, spaces, grid, missing))
      return;
}

} // namespace pbc::choice
