// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/accumulation.h"
#include "compiler/poly/names.h"
#include "compiler/sema/accumulation_body.h"
#include "compiler/sema/accumulation_reads.h"
#include "compiler/sema/accumulation_scope.h"
#include "compiler/sema/affine.h"
#include "compiler/sema/body_rewriter.h"
#include "compiler/sema/cxx_expression.h"
#include "compiler/sema/names.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using Accessor = syntax::Region::Accessor;
using syntax::Expr;
using syntax::ExprPtr;
using syntax::Identifier;
using syntax::MatrixDecl;
using syntax::Region;

class AccumulationPlacer {
public:
  AccumulationPlacer(const AccumulationScope &scope, syntax::Rule &rule, source::Diagnostics &d)
      : scope_(scope), rule_(rule), output_(rule.outputs.front()), d_(d) {}

  /// Whether the rule has no mistake.
  bool run() {
    const unsigned errorsBefore = d_.errorCount();
    for (const auto &flag : rule_.flags)
      if (flag.kind == syntax::Flag::Kind::Duplicate && flag.name)
        constants_.insert(flag.name->text);
    findOutputVariables();
    checkOutput();
    if (d_.errorCount() == errorsBefore)
      findVariables();
    if (d_.errorCount() == errorsBefore)
      checkBody();
    if (d_.errorCount() == errorsBefore)
      rewrite();
    return d_.errorCount() == errorsBefore;
  }

private:
  static std::vector<ExprPtr> expressionsOf(const Region &region) {
    std::vector<ExprPtr> all = region.coordinates;
    if (region.version)
      all.push_back(region.version->first);
    return all;
  }

  /// The names in it that are no sizes, params and the like.
  std::vector<Identifier> variablesIn(const Expr &e) const {
    std::vector<Identifier> names;
    collectNames(e, names);
    std::erase_if(names, [&](const Identifier &name) {
      return scope_.knows(name.text) || constants_.contains(name.text) || scope_.find(name.text);
    });
    return names;
  }

  bool isVariable(const std::string &name) const {
    return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
  }
  bool isSummed(const Expr &e) const { return namesAny(e, variables_); }
  bool isSummed(const syntax::Condition &c) const {
    return (c.relation && (isSummed(*c.relation->left) || isSummed(*c.relation->right))) ||
           std::any_of(c.parts.begin(), c.parts.end(), [&](const auto &part) { return isSummed(part); });
  }
  bool isSummed(const Region &r) const {
    const auto all = expressionsOf(r);
    return std::any_of(all.begin(), all.end(), [&](const ExprPtr &e) { return isSummed(*e); });
  }

  void findOutputVariables() {
    for (const auto &e : expressionsOf(output_))
      for (const auto &name : variablesIn(*e))
        outputVariables_.insert(name.text);
  }

  const Region *inputNamed(const std::string &name) const {
    for (const auto &input : rule_.inputs)
      if (input.name && input.name->text == name)
        return &input;
    return nullptr;
  }

  /// Each cell of the output must be the cell of one instance of the rule.
  void checkOutput() {
    for (const auto &e : expressionsOf(output_)) {
      std::vector<std::string> open;
      for (const auto &name : variablesIn(*e)) {
        if (const Region *input = inputNamed(name.text))
          return refuseData(*e, name, *input);
        if (!standsAlone(name.text, e.get()) && std::find(open.begin(), open.end(), name.text) == open.end())
          open.push_back(name.text);
      }
      const auto sum = linear(*e);
      const bool isSolvable = sum && (open.empty() || sum->factor(open.front()) != 0);
      if (open.size() > 1 || !isSolvable)
        refusePush(*e, open);
    }
  }

  /// Whether a coordinate of the output other than `except` consists of the name.
  bool standsAlone(const std::string &name, const Expr *except) const {
    const auto all = expressionsOf(output_);
    return std::any_of(all.begin(), all.end(), [&](const ExprPtr &e) {
      return e.get() != except && e->kind == Expr::Kind::Name && e->text == name;
    });
  }

  void refuseData(const Expr &coordinate, const Identifier &name, const Region &input) {
    auto &error =
        d_.error(coordinate.span,
                 fmt::format("which cell of `{}` is added to cannot depend on data: `{}` is a value",
                             output_.matrix.text, name.text))
            .note(input.span, "it is read here");
    const MatrixDecl *to = scope_.find(output_.matrix.text), *from = scope_.find(input.matrix.text);
    if (to && from && to->extents.size() == 1 && from->extents.size() == 1)
      error.help(fmt::format("let the body of a rule for the whole matrix add, for example\n"
                             "  to({0} sums) from({1} {2}) {{\n"
                             "    for (int k = 0; k < {3}; ++k) sums.cell(k) = 0;\n"
                             "    for (int k = 0; k < {4}; ++k) sums.cell((int){2}.cell(k)) += 1;\n"
                             "  }}",
                             to->name.text, from->name.text, name.text, syntax::print(*to->extents[0]),
                             syntax::print(*from->extents[0])));
    else
      error.help(fmt::format("let the body of a rule for the whole matrix, to({} sums), add in its own loops",
                             output_.matrix.text));
  }

  void refusePush(const Expr &coordinate, const std::vector<std::string> &open) {
    const bool isSum = open.size() == 2 && coordinate.kind == Expr::Kind::Add;
    d_.error(coordinate.span,
             fmt::format("this coordinate does not tell from which points a cell of `{}` is added to",
                         output_.matrix.text))
        .help(
            isSum
                ? fmt::format(
                      "give the cell a variable of its own, `k`, and write `k - {}` for `{}` in the rest "
                      "of the rule, as in `C.cell(k) += from(A.cell(i) a, B.cell(k - i) b)`",
                      open[0], open[1])
                : "give the cell a variable of its own, and say by `where` which points belong to it, as in "
                  "`S.cell(k) += from(A.cell(i) a) where i >= 2*k and i < 2*k + 2` for `S.cell(i/2)`");
  }

  void findVariables() {
    const unsigned errorsBefore = d_.errorCount();
    for (const auto &input : rule_.inputs)
      for (const auto &e : expressionsOf(input))
        for (const auto &name : variablesIn(*e)) {
          if (const Region *other = inputNamed(name.text)) {
            d_.error(name.span, fmt::format("`{}` is a region and a coordinate of the rule", name.text))
                .note(other->span, "the region is here")
                .help("rename one of them");
            continue;
          }
          if (outputVariables_.contains(name.text) || isVariable(name.text))
            continue;
          checkName(name, d_);
          variables_.push_back(name.text);
          spans_.push_back(name.span);
        }
    if (variables_.empty() && d_.errorCount() == errorsBefore)
      d_.error(rule_.accumulation->span, "this rule adds up nothing: each cell has one point")
          .help(
              fmt::format("the points are the values of the coordinate variables of the inputs that are not "
                          "in the coordinates of `{}`, as `x` in `S.cell(y) += from(A.cell(x, y) a)`; "
                          "without such variables, leave the operator out",
                          output_.matrix.text));
    for (const auto &input : rule_.inputs)
      checkInput(input);
  }

  void checkInput(const Region &input) {
    if (!isSummed(input))
      return;
    if (input.version && isSummed(*input.version->first))
      d_.error(input.version->span, "an accumulation cannot go over versions")
          .help("name the version by variables of the output, or let a rule for each version add to the one "
                "before: `S<t> from(S<t-1> s, ...)`");
    if (input.accessor == Accessor::Region || input.isPartOfLine())
      d_.error(input.span, "an accumulation reads single cells, rows and columns at each of its points")
          .help("read a region whose place does not depend on what is summed over, or sum in the body");
    if (input.defaultValue)
      d_.error(input.defaultValue->span, "an input that is summed over cannot be optional")
          .help("a point is left out where one of its cells lies outside of its matrix");
    for (const auto &e : expressionsOf(input))
      if (isSummed(*e))
        checkAffine(*e);
  }

  bool checkAffine(const Expr &e) {
    const auto isKnown = [&](const std::string &name, Span span) {
      if (!scope_.find(name))
        return true;
      d_.error(span, fmt::format("the matrix `{}` cannot be part of a coordinate", name))
          .help("coordinates are made of sizes and of the rule's own variables");
      return false;
    };
    const auto product = [&](const std::vector<std::string> &factors) {
      const bool ofSizes = std::all_of(factors.begin(), factors.end(), [&](const std::string &name) {
        return scope_.knows(poly::unmangle(name));
      });
      return ofSizes ? std::optional(fmt::format("{}", fmt::join(factors, "__"))) : std::nullopt;
    };
    return affine(e, isKnown, product, d_).has_value();
  }

  void checkBody() {
    if (!mentions(rule_.body.text, "return"))
      d_.error(rule_.body.span,
               "the body of an accumulation returns what is added, and this one returns nothing")
          .help("write `{ return VALUE; }`");
  }

  static bool fits(const Region &region, const MatrixDecl &m) {
    const std::size_t rank = m.extents.size() + (m.version && !region.version ? 1 : 0);
    return region.accessor == Accessor::Whole  ? region.coordinates.empty()
           : region.accessor == Accessor::Cell ? region.coordinates.size() == rank && rank == m.extents.size()
           : region.accessor == Accessor::Region ? true
                                                 : region.coordinates.size() == 1 && m.extents.size() == 2;
  }

  /// The dimension of which the region has this coordinate: rows lie along dimension 1.
  static std::size_t dimensionOf(const Region &region, std::size_t coordinate) {
    return region.accessor == Accessor::Row ? 1 : region.accessor == Accessor::Column ? 0 : coordinate;
  }

  /// The conditions under which the coordinates lie inside of the matrix; to `points` or to what is known.
  void addInside(const Region &region, const MatrixDecl &m) {
    if (region.accessor == Accessor::Region || region.accessor == Accessor::Whole)
      return;
    for (std::size_t k = 0; k < region.coordinates.size(); ++k) {
      const auto at = linear(*region.coordinates[k]);
      const auto extent = linear(*m.extents[dimensionOf(region, k)]);
      if (at && extent)
        for (const Linear &l : {*at, extent->plus(*at, -1).plus(-1)})
          (isSummed(*region.coordinates[k]) ? points_ : known_).push_back(l);
    }
  }

  /// Takes a condition apart; false if it is no sum that is at least 0.
  bool addCondition(const syntax::Condition &c, std::vector<Linear> &to) {
    using Op = syntax::Relation::Op;
    if (c.kind == syntax::Condition::Kind::All) {
      bool all = true;
      for (const auto &part : c.parts)
        all = addCondition(part, to) && all;
      return all;
    }
    if (c.kind == syntax::Condition::Kind::Not && c.parts.front().relation) {
      syntax::Condition opposite = c.parts.front();
      static const Op opposites[] = {Op::NotEqual,  Op::Equal,   Op::GreaterEqual,
                                     Op::LessEqual, Op::Greater, Op::Less};
      opposite.relation->op = opposites[static_cast<int>(opposite.relation->op)];
      return addCondition(opposite, to);
    }
    if (!c.relation || c.relation->op == Op::NotEqual)
      return false;
    const auto left = linear(*c.relation->left), right = linear(*c.relation->right);
    if (!left || !right)
      return false;
    const Op op = c.relation->op;
    const bool isStrict = op == Op::Less || op == Op::Greater;
    if (op != Op::Greater && op != Op::GreaterEqual)
      to.push_back(right->plus(*left, -1).plus(isStrict ? -1 : 0));
    if (op != Op::Less && op != Op::LessEqual)
      to.push_back(left->plus(*right, -1).plus(isStrict ? -1 : 0));
    return true;
  }

  bool checkAffine(const syntax::Condition &c) {
    if (c.relation)
      return checkAffine(*c.relation->left) && checkAffine(*c.relation->right);
    return std::all_of(c.parts.begin(), c.parts.end(), [&](const auto &part) { return checkAffine(part); });
  }

  /// Conditions that name what is summed over leave the rule for its body.
  void takeConditions() {
    std::vector<syntax::Condition> kept;
    for (auto &c : rule_.where) {
      if (!isSummed(c)) {
        addCondition(c, known_);
        kept.push_back(std::move(c));
      } else if (checkAffine(c) && !addCondition(c, points_)) {
        conditions_.push_back("(" + cxxOf(c, scope_.sizes) + ")");
      }
    }
    rule_.where = std::move(kept);
  }

  /// Leaves of the rule what says that a matrix is not known; false if all are.
  bool leaveUnknown() {
    const auto isKnown = [&](const Region &input) { return scope_.find(input.matrix.text) != nullptr; };
    if (std::all_of(rule_.inputs.begin(), rule_.inputs.end(), isKnown))
      return false;
    std::erase_if(rule_.inputs, isKnown);
    rule_.where.clear();
    rule_.accumulation.reset();
    return true;
  }

  void rewrite() {
    if (leaveUnknown())
      return;
    AccumulationBody body{*rule_.accumulation, elementOf(output_), {}, {}, freeName()};
    if (const MatrixDecl *m = scope_.find(output_.matrix.text); m && fits(output_, *m))
      addInside(output_, *m);
    for (const auto &input : rule_.inputs)
      if (const MatrixDecl *m = scope_.find(input.matrix.text); m && fits(input, *m))
        addInside(input, *m);
    takeConditions();
    body.loops = accumulationLoops(variables_, points_, known_, scope_.sizes);
    for (auto &input : rule_.inputs)
      if (const MatrixDecl *m = scope_.find(input.matrix.text))
        if (isSummed(input)) {
          if (!fits(input, *m))
            return refuseCount(input, *m);
          body.regions.emplace(input.name->text, widenRead(input, *m, scope_, variables_, body.loops));
        }
    if (body.loops.unbounded)
      return refuseUnbounded(*body.loops.unbounded);
    body.loops.conditions.insert(body.loops.conditions.end(), conditions_.begin(), conditions_.end());
    rule_.body.text = accumulatingBody(rule_.body.text, body);
    rule_.accumulation.reset();
  }

  void refuseCount(const Region &input, const MatrixDecl &m) {
    d_.error(input.span, fmt::format("this is no part of `{}`, which has {} dimension{}", m.name.text,
                                     m.extents.size(), m.extents.size() == 1 ? "" : "s"))
        .note(m.span, "declared here")
        .help("cell() takes one coordinate per dimension, x first; row() and column() are parts of matrices "
              "with 2 dimensions");
  }

  void refuseUnbounded(const std::string &variable) {
    const auto at = std::find(variables_.begin(), variables_.end(), variable) - variables_.begin();
    d_.error(spans_[static_cast<std::size_t>(at)],
             fmt::format("nothing says from where to where `{}` goes", variable))
        .help(fmt::format("bound it in the rule: `where {0} >= 0 and {0} < n`", variable));
  }

  std::string elementOf(const Region &output) const {
    const MatrixDecl *m = scope_.find(output.matrix.text);
    const auto element = m && m->element ? findElement(m->element->text) : std::nullopt;
    return cxxType(element.value_or(Element::F64));
  }

  /// For the sum: nothing that the body could mean by it.
  std::string freeName() const {
    std::string name = rule_.accumulation->kind == syntax::Accumulation::Kind::Multiply ? "product" : "sum";
    const auto isTaken = [&] {
      return mentions(rule_.body.text, name) || scope_.knows(name) || inputNamed(name) || isVariable(name) ||
             outputVariables_.contains(name) || constants_.contains(name);
    };
    while (isTaken())
      name += "_";
    return name;
  }

  const AccumulationScope &scope_;
  syntax::Rule &rule_;
  const Region &output_;
  source::Diagnostics &d_;
  std::set<std::string> constants_, outputVariables_;
  std::vector<std::string> variables_; // the innermost first
  std::vector<Span> spans_;            // where they are named first
  std::vector<Linear> points_, known_; // at least 0: at the points, and wherever the rule computes
  std::vector<std::string> conditions_;
};

std::set<std::string> inputsOf(const syntax::Rule &rule) {
  std::set<std::string> names;
  for (const auto &input : rule.inputs)
    names.insert(input.matrix.text);
  return names;
}

std::string cellOf(const Region &output) {
  std::string text = output.matrix.text;
  if (output.version)
    text += "<" + syntax::print(*output.version->first) + ">";
  for (const auto &e : output.coordinates)
    text += "," + syntax::print(*e);
  return text;
}

/// Rules that compute the same from other inputs are meant to be added to each other.
void warnOfChoices(const std::vector<syntax::Rule> &rules, source::Diagnostics &d) {
  std::map<std::string, const syntax::Rule *> first;
  for (const auto &rule : rules) {
    if (!rule.accumulation || !rule.flags.empty() || !rule.where.empty())
      continue;
    const auto [other, isNew] = first.emplace(cellOf(rule.outputs.front()), &rule);
    if (isNew || inputsOf(*other->second) == inputsOf(rule))
      continue;
    d.warning(rule.accumulation->span,
              "the values of this rule are not added to those of another: both are a choice")
        .note(other->second->accumulation->span, "the other one is here")
        .help("compute the sums in `through` matrices of their own and add them in a further rule");
  }
}

} // namespace

void placeAccumulations(const syntax::Transform &header, std::vector<syntax::Rule> &rules,
                        source::Diagnostics &d) {
  const AccumulationScope scope(header);
  warnOfChoices(rules, d);
  std::erase_if(rules, [&](syntax::Rule &rule) {
    return rule.accumulation && !AccumulationPlacer(scope, rule, d).run();
  });
}

} // namespace pbc::sema
