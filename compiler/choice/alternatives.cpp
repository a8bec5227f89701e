#include "compiler/choice/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace pbc::choice {

namespace {

constexpr std::size_t kMostAlternatives = 999;
constexpr std::size_t kMostTries = 20000;

class Enumerator {
public:
  Enumerator(const sema::Transform &t, const std::vector<body::Facts> &facts, const Grid &grid)
      : t_(t), facts_(facts), grid_(grid) {}

  /// Nothing if there are too many.
  std::optional<std::vector<Alternative>> run() {
    assignment_.assign(grid_.pieces.size(), -1);
    assign(0);
    if (tooMany())
      return std::nullopt;
    return std::move(out_);
  }

private:
  using Pieces = std::vector<int>;

  bool tooMany() const { return out_.size() > kMostAlternatives || tries_ >= kMostTries; }

  void assign(std::size_t piece) {
    if (tooMany())
      return;
    if (piece == grid_.pieces.size()) {
      ++tries_;
      accept();
      return;
    }
    for (const int rule : grid_.pieces[piece].rules) {
      if (!mayJoin(rule, piece))
        continue;
      assignment_[piece] = rule;
      assign(piece + 1);
    }
    assignment_[piece] = -1;
  }

  /// A rule without free variables writes all its cells at once: it takes every earlier piece that it
  /// reaches, or none. Cuts the product short; the exact test is in domainFor().
  bool mayJoin(int rule, std::size_t piece) const {
    for (std::size_t q = 0; q < piece; ++q) {
      const auto &earlier = grid_.pieces[q];
      const auto reaches = [&](int r) {
        return std::find(earlier.rules.begin(), earlier.rules.end(), r) != earlier.rules.end();
      };
      const auto alsoHere = [&](int r) {
        const auto &rules = grid_.pieces[piece].rules;
        return std::find(rules.begin(), rules.end(), r) != rules.end();
      };
      if (t_.rules[rule].freeVariables.empty() && reaches(rule) && assignment_[q] != rule)
        return false;
      const int other = assignment_[q];
      if (other != rule && t_.rules[other].freeVariables.empty() && alsoHere(other))
        return false;
    }
    return true;
  }

  /// The points at which `rule` runs when exactly these pieces are its own; empty optional: it cannot fill
  /// them without writing elsewhere.
  const std::optional<isl::set> &domainFor(int rule, const Pieces &pieces) {
    const auto key = std::make_pair(rule, pieces);
    if (const auto at = known_.find(key); at != known_.end())
      return at->second;
    return known_.emplace(key, compute(rule, pieces)).first->second;
  }

  std::optional<isl::set> compute(int rule, const Pieces &pieces) const {
    const auto &application = grid_.applications[rule];
    const auto &outputs = t_.rules[rule].outputs;
    std::map<int, isl::set> target;
    for (const int p : pieces) {
      const auto &piece = grid_.pieces[p];
      const auto at = target.find(piece.matrix);
      if (at == target.end())
        target.emplace(piece.matrix, piece.cells);
      else
        at->second = at->second.unite(piece.cells);
    }
    isl::set domain = application.domain;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto at = target.find(outputs[i].matrix);
      if (at == target.end())
        domain = domain.subtract(application.writes[i].domain());
      else
        domain = domain.subtract(
            application.writes[i].subtract(application.writes[i].intersect_range(at->second)).domain());
    }
    std::map<int, isl::set> written;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const isl::set range = application.writes[i].intersect_domain(domain).range();
      const auto at = written.find(outputs[i].matrix);
      if (at == written.end())
        written.emplace(outputs[i].matrix, range);
      else
        at->second = at->second.unite(range);
    }
    for (const auto &[matrix, cells] : target)
      if (!cells.is_subset(written.at(matrix)))
        return std::nullopt;
    return poly::simplified(domain);
  }

  void accept() {
    std::map<int, Pieces> piecesOf;
    for (std::size_t p = 0; p < assignment_.size(); ++p)
      piecesOf[assignment_[p]].push_back(static_cast<int>(p));
    const auto used = neededRules(piecesOf);
    Alternative a;
    a.ruleOfPiece = assignment_;
    for (const auto &[rule, pieces] : piecesOf) {
      if (!used.count(rule))
        continue;
      const auto &domain = domainFor(rule, pieces);
      if (!domain)
        return;
      a.uses.emplace_back(rule, *domain);
    }
    // Assignments that differ only in pieces that nothing needs are the same alternative.
    Pieces signature;
    for (const int rule : assignment_)
      signature.push_back(used.count(rule) ? rule : -1);
    if (!seen_.insert(signature).second)
      return;
    describe(a, piecesOf, used);
    out_.push_back(std::move(a));
  }

  /// Rules that compute an output, or a `through` matrix that a needed rule reads.
  std::set<int> neededRules(const std::map<int, Pieces> &piecesOf) const {
    std::set<int> matrices, rules;
    for (int m = 0; m < static_cast<int>(t_.matrices.size()); ++m)
      if (t_.matrices[m].role == sema::Role::Output)
        matrices.insert(m);
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto &[rule, pieces] : piecesOf) {
        const bool writesNeeded = std::any_of(
            pieces.begin(), pieces.end(), [&](int p) { return matrices.count(grid_.pieces[p].matrix) != 0; });
        if (!writesNeeded || !rules.insert(rule).second)
          continue;
        changed = true;
        for (const auto &input : t_.rules[rule].inputs)
          matrices.insert(input.matrix);
        for (const auto &output : t_.rules[rule].outputs)
          matrices.insert(output.matrix);
      }
    }
    return rules;
  }

  void describe(Alternative &a, const std::map<int, Pieces> &piecesOf, const std::set<int> &used) {
    std::set<int> deciding;
    for (std::size_t p = 0; p < assignment_.size(); ++p)
      if (grid_.pieces[p].rules.size() > 1 && used.count(assignment_[p]))
        deciding.insert(assignment_[p]);
    std::vector<std::string> names, parts;
    for (const auto &[rule, domain] : a.uses) {
      (void)domain;
      if (deciding.empty() || deciding.count(rule))
        names.push_back(labelOf(t_, rule, facts_));
      std::vector<std::string> regions;
      for (const int p : piecesOf.at(rule))
        regions.push_back(poly::readable(grid_.pieces[p].cells.gist_params(grid_.context),
                                         grid_.names[grid_.pieces[p].matrix]));
      parts.push_back(fmt::format("{} computes {}", labelOf(t_, rule, facts_), fmt::join(regions, ", ")));
    }
    a.name = fmt::format("{}", fmt::join(names, "+"));
    if (const int twin = ++names_[a.name]; twin > 1)
      a.name += fmt::format("-{}", twin);
    a.doc = fmt::format("{}", fmt::join(parts, "; "));
  }

  const sema::Transform &t_;
  const std::vector<body::Facts> &facts_;
  const Grid &grid_;
  std::vector<int> assignment_;
  std::map<std::pair<int, Pieces>, std::optional<isl::set>> known_;
  std::set<Pieces> seen_;
  std::map<std::string, int> names_;
  std::vector<Alternative> out_;
  std::size_t tries_ = 0;
};

} // namespace

std::string labelOf(const sema::Transform &t, int rule, const std::vector<body::Facts> &facts) {
  const auto &r = t.rules[rule];
  if (r.isNamed)
    return r.label;
  const auto onlyCallee = [&](int k) -> std::string {
    const auto &callees = facts[k].callees;
    return callees.size() == 1 && callees[0] != t.family
               ? callees[0] + sema::labelSuffix(t.rules[k].constants)
               : "";
  };
  std::string callee = onlyCallee(rule);
  if (callee.empty())
    return r.label;
  for (const auto &other : t.rules)
    if (other.index != rule && (onlyCallee(other.index) == callee || other.label == callee))
      return r.label;
  return callee;
}

std::vector<Alternative> alternativesOf(const sema::Transform &t, const std::vector<body::Facts> &facts,
                                        const Grid &grid, source::Diagnostics &diagnostics) {
  auto alternatives = Enumerator(t, facts, grid).run();
  if (!alternatives) {
    diagnostics.error(t.span, fmt::format("`{}` has more than {} alternatives", t.name, kMostAlternatives))
        .help("give some of its rules a priority, or split it into several transforms");
    return {};
  }
  if (alternatives->empty() && !diagnostics.hasErrors())
    diagnostics
        .error(t.span,
               fmt::format("no combination of the rules of `{}` computes every cell exactly once", t.name))
        .help("a rule with several outputs, or with a region as its output, must be able to fill whole "
              "pieces: add "
              "rules for what it leaves over");
  return std::move(*alternatives);
}

std::vector<Choices> chooseGrids(const sema::Module &module,
                                 const std::vector<std::vector<body::Facts>> &facts, poly::Context &context,
                                 source::Diagnostics &diagnostics) {
  std::vector<Choices> all;
  std::set<std::string> wrong; // one mistake of a template is one error, not one for each copy
  for (const auto &t : module.transforms) {
    const Spaces spaces(t, context);
    const unsigned errorsBefore = diagnostics.errorCount();
    Choices c{{spaces.context(), {}, {}, {}, {}}, {}};
    if (wrong.count(t.family)) {
      all.push_back(std::move(c));
      continue;
    }
    for (int m = 0; m < static_cast<int>(t.matrices.size()); ++m)
      c.grid.names.push_back(spaces.names(m));
    c.grid.applications = applicableRegions(t, spaces, c.grid.context, diagnostics);
    if (diagnostics.errorCount() == errorsBefore)
      cutIntoPieces(t, spaces, c.grid, diagnostics);
    if (diagnostics.errorCount() == errorsBefore)
      c.alternatives = alternativesOf(t, facts[t.index], c.grid, diagnostics);
    if (diagnostics.errorCount() != errorsBefore)
      wrong.insert(t.family);
    all.push_back(std::move(c));
  }
  return all;
}

} // namespace pbc::choice
