// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/verify.h"
#include "compiler/choice/spaces.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/map.h>
#include <set>

namespace pbc::choice {

namespace {

class ChoicesVerifier {
public:
  ChoicesVerifier(const sema::Transform &t, const Choices &choices, const poly::Context &context,
                  std::vector<std::string> &out)
      : t_(t), choices_(choices), grid_(choices.grid), spaces_(t, context), out_(out) {}

  void run() {
    if (!applications())
      return;
    for (int m = 0; m < static_cast<int>(t_.matrices.size()); ++m)
      if (t_.matrices[m].role != sema::Role::Input)
        partition(m);
    require(!choices_.alternatives.empty(), "there is no alternative");
    std::set<std::string> names;
    for (const Alternative &a : choices_.alternatives) {
      require(names.insert(a.name).second, "two alternatives are called " + a.name);
      alternative(a);
    }
  }

private:
  bool require(bool holds, const std::string &text) {
    if (!holds)
      out_.push_back(t_.name + ": " + text);
    return holds;
  }

  bool applications() {
    if (!require(grid_.applications.size() == t_.rules.size(), "there is not one application per rule"))
      return false;
    for (const auto &r : t_.rules) {
      const Application &a = grid_.applications[r.index];
      if (!require(a.rule == r.index && a.writes.size() == r.outputs.size() &&
                       a.reads.size() == r.inputs.size(),
                   "the application of " + r.label + " is another rule's"))
        return false;
      isl::set allowed = spaces_.whereHolds(r);
      for (const auto *list : {&r.outputs, &r.inputs})
        for (const auto &b : *list)
          allowed = allowed.intersect(spaces_.inBounds(r, b));
      require(a.domain.is_subset(allowed), r.label + " runs where a region is outside, or `where` false");
      for (std::size_t o = 0; o < r.outputs.size(); ++o)
        require(a.writes[o].is_injective() || lacksVariables(r, r.outputs[o]),
                r.label + " writes a cell twice");
    }
    return true;
  }

  /// Such an output is updated by the rule's points one after the other.
  bool lacksVariables(const sema::Rule &r, const sema::Binding &b) const {
    const isl::map region = spaces_.access(r, b);
    for (unsigned v = 0; v < r.freeVariables.size(); ++v)
      if (isl_map_involves_dims(region.get(), isl_dim_in, v, 1) != isl_bool_true)
        return true;
    return false;
  }

  /// The cells that callers see, or some rule reads.
  isl::set needed(int matrix) const {
    isl::set cells = t_.matrices[matrix].role == sema::Role::Output
                         ? spaces_.declaredCells(matrix)
                         : isl::set::empty(spaces_.cells(matrix).get_space());
    for (const auto &r : t_.rules)
      for (std::size_t i = 0; i < r.inputs.size(); ++i)
        if (r.inputs[i].matrix == matrix)
          cells = cells.unite(grid_.applications[r.index].reads[i].range());
    return cells.intersect_params(grid_.context);
  }

  void partition(int matrix) {
    const std::string &name = t_.matrices[matrix].name;
    const isl::set all = spaces_.cells(matrix).intersect_params(grid_.context);
    isl::set covered = isl::set::empty(all.get_space()), refused = isl::set::empty(grid_.context.get_space());
    for (const Piece &p : grid_.pieces) {
      if (p.matrix != matrix)
        continue;
      require(!p.cells.is_empty(), "a piece of " + name + " is empty");
      require(p.cells.intersect(covered).is_empty(), "two pieces of " + name + " overlap");
      covered = covered.unite(p.cells);
      rulesOf(p, name);
    }
    require(covered.is_subset(all), "a piece of " + name + " is outside of it");
    for (const SizeGuard &g : grid_.guards)
      refused = refused.unite(g.bad);
    require(needed(matrix).subtract(covered).params().is_subset(refused),
            "a cell of " + name + " has no piece, and no guard refuses it");
  }

  void rulesOf(const Piece &p, const std::string &name) {
    require(!p.rules.empty(), "a piece of " + name + " has no rule");
    for (std::size_t k = 0; k < p.rules.size(); ++k) {
      const auto &r = t_.rules[p.rules[k]];
      require(p.cells.is_subset(written(r.index, p.matrix, grid_.applications[r.index].domain)),
              r.label + " does not reach all of a piece of " + name);
      require(k == 0 || (p.rules[k - 1] < p.rules[k] &&
                         (t_.rules[p.rules[k - 1]].priority == r.priority || r.replacesAll)),
              "the rules of a piece of " + name + " are not one level in source order");
    }
    for (const auto &r : t_.rules)
      if (!p.rules.empty() && !r.replacesAll && r.priority < t_.rules[p.rules[0]].priority)
        require(written(r.index, p.matrix, grid_.applications[r.index].domain).intersect(p.cells).is_empty(),
                r.label + " has a better priority on a piece of " + name + " that it may not compute");
  }

  /// The cells of a matrix that a rule writes when it runs at these points.
  isl::set written(int rule, int matrix, const isl::set &points) const {
    isl::set cells = isl::set::empty(spaces_.cells(matrix).get_space());
    const auto &outputs = t_.rules[rule].outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o)
      if (outputs[o].matrix == matrix)
        cells = cells.unite(grid_.applications[rule].writes[o].intersect_domain(points).range());
    return cells;
  }

  isl::set overwritten(const Use &use, int matrix) const {
    isl::set cells = isl::set::empty(spaces_.cells(matrix).get_space());
    for (std::size_t o = 0; o < use.overwritten.size(); ++o)
      if (t_.rules[use.rule].outputs[o].matrix == matrix)
        cells = cells.unite(use.overwritten[o].range());
    return cells;
  }

  void alternative(const Alternative &a) {
    const std::string what = "alternative " + a.name;
    if (!require(a.ruleOfPiece.size() == grid_.pieces.size(), what + " has not one rule per piece"))
      return;
    std::set<int> used;
    for (const auto &[rule, points, overwritten] : a.uses) {
      used.insert(rule);
      require(points.is_subset(grid_.applications[rule].domain),
              fmt::format("{} runs {} where it is not applicable", what, t_.rules[rule].label));
    }
    for (std::size_t p = 0; p < grid_.pieces.size(); ++p) {
      const Piece &piece = grid_.pieces[p];
      const std::string &name = t_.matrices[piece.matrix].name;
      const int own = a.ruleOfPiece[p];
      require(std::find(piece.rules.begin(), piece.rules.end(), own) != piece.rules.end(),
              what + " has a rule for a piece of " + name + " that is none of the piece's");
      require(used.count(own) || t_.matrices[piece.matrix].role != sema::Role::Output,
              what + " leaves a piece of " + name + " out");
      for (const auto &use : a.uses) {
        const isl::set cells = written(use.rule, piece.matrix, use.domain).intersect(piece.cells),
                       lost = overwritten(use, piece.matrix).intersect(piece.cells);
        if (use.rule == own)
          require(piece.cells.is_subset(cells) && lost.is_empty(),
                  what + " does not fill a piece of " + name);
        else
          require(cells.is_subset(lost), what + " writes cells of " + name + " twice");
        require(lost.is_empty() || t_.rules[own].priority <= t_.rules[use.rule].priority,
                what + " overwrites cells of " + name + " by a worse rule");
      }
    }
  }

  const sema::Transform &t_;
  const Choices &choices_;
  const Grid &grid_;
  const Spaces spaces_;
  std::vector<std::string> &out_;
};

} // namespace

std::vector<std::string> verify(const sema::Module &module, const std::vector<Choices> &choices,
                                const poly::Context &context) {
  std::vector<std::string> out;
  if (choices.size() != module.transforms.size())
    return {"there are not choices for every transform"};
  for (const auto &t : module.transforms)
    ChoicesVerifier(t, choices[t.index], context, out).run();
  return out;
}

} // namespace pbc::choice
