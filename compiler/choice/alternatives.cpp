// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/choice/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>

namespace pbc::choice {

namespace {

constexpr std::size_t kMostAlternatives = 999;
constexpr std::size_t kManyAlternatives = 32; // from this number on borders get no choice of their own
constexpr std::size_t kManyUses = 128;        // the same for the uses of rules in all of them together
constexpr std::size_t kFewUses = 48;          // beyond them, seams get no choice
constexpr std::size_t kMostTries = 20000;

class Enumerator {
public:
  Enumerator(const sema::Transform &t, const std::vector<body::Facts> &facts, const Grid &grid)
      : t_(t), facts_(facts), grid_(grid) {
    std::map<int, int> highest; // by matrix
    for (const auto &piece : grid_.pieces) {
      dimensions_.push_back(poly::dimension(piece.cells));
      highest[piece.matrix] = std::max(highest[piece.matrix], dimensions_.back());
    }
    levels_.insert(0);
    for (std::size_t p = 0; p < dimensions_.size(); ++p) {
      isBorder_.push_back(dimensions_[p] < highest[grid_.pieces[p].matrix]);
      if (isBorder_.back())
        levels_.insert(dimensions_[p] + 1);
      isSeam_.push_back(isSeam(p));
    }
  }

  /// Nothing if there are too many alternatives.
  std::optional<std::vector<Alternative>> run() {
    enumerateLevels();
    if (out_.empty() && tries_ < kMostTries) {
      // No assignment keeps the rules of one level apart: then the rule of a piece overwrites what other
      // rules of its level write there.
      mixes_ = true;
      known_.clear();
      enumerateLevels();
    }
    if (tooMany())
      return std::nullopt;
    return std::move(out_);
  }

private:
  using Pieces = std::vector<int>;
  using Cells = std::map<int, isl::set>; // by matrix

  bool tooMany() const { return out_.size() > most_ || tries_ >= kMostTries; }

  /// Whether each rule of the piece is the only one for a piece of the matrix with more dimensions. All of them run in every alternative,
  /// and on more cells than those of this piece, so that it hardly matters which of them takes it.
  bool isSeam(std::size_t piece) const {
    const Piece &seam = grid_.pieces[piece];
    const auto runsAnyway = [&](int rule) {
      for (std::size_t p = 0; p < grid_.pieces.size(); ++p) {
        const Piece &other = grid_.pieces[p];
        if (other.matrix == seam.matrix && dimensions_[p] > dimensions_[piece] && other.rules.size() == 1 &&
            other.rules.front() == rule)
          return true;
      }
      return false;
    };
    return seam.rules.size() > 1 && std::all_of(seam.rules.begin(), seam.rules.end(), runsAnyway);
  }

  /// Borders that overlap multiply the alternatives but decide about few cells. If there are many, first seams, then the pieces of
  /// corners, then those of edges get the first rule that fits the rest.
  void enumerateLevels() {
    const auto most = [&](std::size_t uses) {
      return std::clamp(uses / std::max<std::size_t>(1, grid_.applications.size()), std::size_t(2),
                        kManyAlternatives);
    };
    if (std::find(isSeam_.begin(), isSeam_.end(), true) != isSeam_.end() &&
        enumerate([](std::size_t) { return false; }, most(kFewUses)))
      return;
    for (const int level : levels_)
      if (enumerate([&](std::size_t p) { return isSeam_[p] || (isBorder_[p] && dimensions_[p] < level); },
                    level == *levels_.rbegin() ? kMostAlternatives : most(kManyUses)))
        return;
  }

  /// Finds the alternatives in which the fixed pieces get the first rule that fits. Returns false if there are more than `atMost`.
  template <class Predicate>
  bool enumerate(const Predicate &isFixed, std::size_t atMost) {
    most_ = atMost;
    order_.clear();
    for (const bool fixed : {false, true}) {
      if (fixed)
        choices_ = order_.size();
      for (std::size_t p = 0; p < grid_.pieces.size(); ++p)
        if (isFixed(p) == fixed)
          order_.push_back(static_cast<int>(p));
    }
    out_.clear();
    seen_.clear();
    names_.clear();
    tries_ = 0;
    assignment_.assign(grid_.pieces.size(), -1);
    assign(0);
    return !tooMany();
  }

  /// Returns true if it found an alternative.
  bool assign(std::size_t at) {
    if (at == order_.size()) {
      ++tries_;
      return accept();
    }
    const int piece = order_[at];
    bool found = false;
    for (const int rule : grid_.pieces[piece].rules) {
      if (tooMany() || (found && at >= choices_))
        break;
      if (!mayJoin(rule, at))
        continue;
      assignment_[piece] = rule;
      found = assign(at + 1) || found;
    }
    assignment_[piece] = -1;
    return found;
  }

  /// A rule without free variables writes all its cells at once, so it takes every earlier piece that it
  /// reaches, or none. This check limits the product; the exact test is in useFor().
  bool mayJoin(int rule, std::size_t at) const {
    for (std::size_t before = 0; before < at && !mixes_; ++before) {
      const int q = order_[before];
      const auto &earlier = grid_.pieces[q];
      const auto reaches = [&](int r) {
        return std::find(earlier.rules.begin(), earlier.rules.end(), r) != earlier.rules.end();
      };
      const auto alsoHere = [&](int r) {
        const auto &rules = grid_.pieces[order_[at]].rules;
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

  /// The rule with the points at which it runs if exactly these pieces are its own; nothing if it cannot fill
  /// them without writing other pieces.
  const std::optional<Use> &useFor(int rule, const Pieces &pieces) {
    const auto key = std::make_pair(rule, pieces);
    if (const auto at = known_.find(key); at != known_.end())
      return at->second;
    return known_.emplace(key, compute(rule, pieces)).first->second;
  }

  std::optional<Use> compute(int rule, const Pieces &pieces) const {
    const auto isOwn = [&](int p) { return std::find(pieces.begin(), pieces.end(), p) != pieces.end(); };
    const Cells own = cellsOf(isOwn);
    const isl::set within = pointsWithin(rule, own);
    const Cells left = without(own, written(rule, within));
    if (left.empty())
      return Use{rule, poly::simplified(within), {}};
    const Cells allowed = cellsOf([&](int p) {
      return mixes_ || isOwn(p) || t_.rules[grid_.pieces[p].rules.front()].priority < t_.rules[rule].priority;
    });
    const isl::set domain =
        poly::simplified(within.unite(pointsWithin(rule, allowed).intersect(pointsWriting(rule, left))));
    if (!without(left, written(rule, domain)).empty())
      return std::nullopt;
    return Use{rule, domain, beside(own, rule, domain)};
  }

  template <class Predicate>
  Cells cellsOf(const Predicate &includes) const {
    Cells cells;
    for (int p = 0; p < static_cast<int>(grid_.pieces.size()); ++p)
      if (includes(p))
        add(cells, grid_.pieces[p].matrix, grid_.pieces[p].cells);
    return cells;
  }

  static void add(Cells &to, int matrix, const isl::set &cells) {
    const auto [at, isNew] = to.emplace(matrix, cells);
    if (!isNew)
      at->second = at->second.unite(cells);
  }

  /// What remains of `cells`; nothing for a matrix whose cells are all written.
  static Cells without(const Cells &cells, const Cells &written) {
    Cells left;
    for (const auto &[matrix, all] : cells) {
      const auto at = written.find(matrix);
      const isl::set rest = at == written.end() ? all : all.subtract(at->second);
      if (!rest.is_empty())
        left.emplace(matrix, rest);
    }
    return left;
  }

  /// Points of the rule that write no other cells than these.
  isl::set pointsWithin(int rule, const Cells &cells) const {
    const auto &application = grid_.applications[rule];
    isl::set domain = application.domain;
    for (std::size_t o = 0; o < application.writes.size(); ++o)
      domain =
          domain.subtract(outside(application.writes[o], t_.rules[rule].outputs[o].matrix, cells).domain());
    return domain;
  }

  /// Points of the rule that write some of these cells.
  isl::set pointsWriting(int rule, const Cells &cells) const {
    const auto &application = grid_.applications[rule];
    isl::set domain = isl::set::empty(application.domain.get_space());
    for (std::size_t o = 0; o < application.writes.size(); ++o)
      if (const auto at = cells.find(t_.rules[rule].outputs[o].matrix); at != cells.end())
        domain = domain.unite(application.writes[o].intersect_range(at->second).domain());
    return domain;
  }

  /// The cells of a matrix that a rule writes outside of `cells`.
  static isl::map outside(const isl::map &writes, int matrix, const Cells &cells) {
    const auto at = cells.find(matrix);
    return at == cells.end() ? writes : writes.subtract(writes.intersect_range(at->second));
  }

  Cells written(int rule, const isl::set &points) const {
    Cells cells;
    const auto &application = grid_.applications[rule];
    for (std::size_t o = 0; o < application.writes.size(); ++o)
      add(cells, t_.rules[rule].outputs[o].matrix, application.writes[o].intersect_domain(points).range());
    return cells;
  }

  /// What the rule writes at these points outside of its own cells.
  std::vector<isl::map> beside(const Cells &own, int rule, const isl::set &domain) const {
    std::vector<isl::map> others;
    const auto &application = grid_.applications[rule];
    for (std::size_t o = 0; o < application.writes.size(); ++o)
      others.push_back(poly::simplified(
          outside(application.writes[o].intersect_domain(domain), t_.rules[rule].outputs[o].matrix, own)));
    return others;
  }

  /// Returns true if the assignment is an alternative, a new or a known one.
  bool accept() {
    std::map<int, Pieces> piecesOf;
    for (std::size_t p = 0; p < assignment_.size(); ++p)
      piecesOf[assignment_[p]].push_back(static_cast<int>(p));
    const auto used = neededRules(piecesOf);
    Alternative a;
    a.ruleOfPiece = assignment_;
    for (const auto &[rule, pieces] : piecesOf) {
      if (!used.count(rule))
        continue;
      const auto &use = useFor(rule, pieces);
      if (!use)
        return false;
      a.uses.push_back(*use);
    }
    // Assignments that differ only in pieces that nothing needs are the same alternative.
    Pieces signature;
    for (const int rule : assignment_)
      signature.push_back(used.count(rule) ? rule : -1);
    if (!seen_.insert(signature).second)
      return true;
    describe(a, piecesOf, used);
    out_.push_back(std::move(a));
    return true;
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

  const std::string &regionOf(int piece) {
    if (const auto at = regions_.find(piece); at != regions_.end())
      return at->second;
    const auto &[matrix, cells, rules] = grid_.pieces[piece];
    return regions_.emplace(piece, poly::readable(cells.gist_params(grid_.context), grid_.names[matrix]))
        .first->second;
  }

  void describe(Alternative &a, const std::map<int, Pieces> &piecesOf, const std::set<int> &used) {
    std::set<int> deciding;
    for (std::size_t p = 0; p < assignment_.size(); ++p)
      if (grid_.pieces[p].rules.size() > 1 && used.count(assignment_[p]))
        deciding.insert(assignment_[p]);
    std::vector<std::string> names, parts;
    for (const auto &use : a.uses) {
      if (deciding.empty() || deciding.count(use.rule))
        names.push_back(labelOf(t_, use.rule, facts_));
      std::vector<std::string> regions;
      for (const int p : piecesOf.at(use.rule))
        regions.push_back(regionOf(p));
      parts.push_back(fmt::format("{} computes {}", labelOf(t_, use.rule, facts_), fmt::join(regions, ", ")));
    }
    a.name = fmt::format("{}", fmt::join(names, "+"));
    if (const int twin = ++names_[a.name]; twin > 1)
      a.name += fmt::format("-{}", twin);
    a.doc = fmt::format("{}", fmt::join(parts, "; "));
  }

  const sema::Transform &t_;
  const std::vector<body::Facts> &facts_;
  const Grid &grid_;
  std::vector<int> dimensions_; // of each piece, counting the sizes for which it exists
  std::vector<bool> isBorder_;  // other pieces of its matrix have more dimensions
  std::vector<bool> isSeam_;
  std::set<int> levels_;
  std::vector<int> order_; // of the pieces: first those with a choice
  std::size_t choices_ = 0;
  std::size_t most_ = kMostAlternatives;
  std::vector<int> assignment_;
  std::map<std::pair<int, Pieces>, std::optional<Use>> known_;
  std::set<Pieces> seen_;
  std::map<std::string, int> names_;
  std::map<int, std::string> regions_; // names of pieces, as a user would write them
  std::vector<Alternative> out_;
  std::size_t tries_ = 0;
  bool mixes_ = false; // rules of one level
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
  return std::move(*alternatives);
}

namespace {

/// The isl operations allowed for one transform. Usual transforms take some thousands for each rule and each region that
/// it names; strides without a common factor may take any number.
unsigned long budget(const sema::Transform &t) {
  std::size_t regions = 0;
  for (const sema::Rule &r : t.rules)
    regions += r.outputs.size() + r.inputs.size();
  return 1'000'000 + 100'000 * static_cast<unsigned long>(t.rules.size()) + 5'000 * regions;
}

/// Whether the rules write strides (`B.cell(3*i)`) or have conditions.
bool hasStridesOrConditions(const sema::Transform &t) {
  return std::any_of(t.rules.begin(), t.rules.end(), [](const sema::Rule &r) {
    return !r.where.empty() || std::any_of(r.outputs.begin(), r.outputs.end(), [](const sema::Binding &b) {
      return std::any_of(b.begin.begin(), b.begin.end(),
                         [](const auto &at) { return at.cxx.find_first_of("*/%") != std::string::npos; });
    });
  });
}

void reportTooMany(const sema::Transform &t, source::Diagnostics &diagnostics) {
  auto &error = diagnostics.error(
      t.span, fmt::format("the regions of the rules of `{}` overlap in too many ways: the analysis of which "
                          "rule may compute which part would take too long",
                          t.name));
  if (hasStridesOrConditions(t))
    error.help(
        "use fewer different strides (`B.cell(3*i)`) and conditions, or split it into several transforms");
  else
    error.help(
        "each rule reaches the cells at which all its inputs are inside, and these parts cut each other: use "
        "fewer "
        "rules, inputs with a value outside (`A.cell(i-1) a = 0`), or split it into several transforms");
}

} // namespace

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
    const bool ended = context.withBudget(budget(t), [&] {
      c.grid.applications = applicableRegions(t, spaces, c.grid.context, diagnostics);
      if (diagnostics.errorCount() == errorsBefore)
        leaveOutUncomputable(t, spaces, c.grid);
      if (diagnostics.errorCount() == errorsBefore)
        cutIntoPieces(t, spaces, c.grid, diagnostics);
      if (diagnostics.errorCount() == errorsBefore)
        c.alternatives = alternativesOf(t, facts[t.index], c.grid, diagnostics);
    });
    if (!ended && diagnostics.errorCount() == errorsBefore)
      reportTooMany(t, diagnostics);
    if (diagnostics.errorCount() != errorsBefore)
      wrong.insert(t.family);
    all.push_back(std::move(c));
  }
  return all;
}

} // namespace pbc::choice
