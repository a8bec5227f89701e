// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/lets.h"
#include "compiler/sema/affine.h"
#include "compiler/sema/body_rewriter.h"
#include "compiler/sema/cxx_expression.h"
#include "compiler/sema/names.h"
#include "compiler/sema/replace_names.h"
#include "compiler/syntax/whole_expression.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace pbc::sema {

namespace {

using syntax::Expr;
using syntax::ExprPtr;
using syntax::Let;

/// Whether each division is by a number, as sizes allow it.
bool dividesByNumbers(const Expr &e) {
  return (e.kind != Expr::Kind::Divide || constantValue(*e.operands[1]).value_or(0) > 0) &&
         std::all_of(e.operands.begin(), e.operands.end(),
                     [](const ExprPtr &o) { return dividesByNumbers(*o); });
}

class LetPlacer {
public:
  LetPlacer(syntax::Transform &header, std::vector<syntax::Rule> &rules, source::Diagnostics &d)
      : header_(header), rules_(rules), d_(d) {}

  void run() {
    collectDeclared();
    for (std::size_t k = 0; k < header_.lets.size(); ++k)
      if (isSound(k))
        place(header_.lets[k]);
    replaceInHeaders();
    for (auto &rule : rules_)
      openBody(rule);
    for (const Let *let : computed_)
      addRule(*let);
  }

private:
  void collectDeclared() {
    for (const auto *list : {&header_.from, &header_.to, &header_.through})
      for (const auto &m : *list)
        taken_.emplace(m.name.text, m.name.span);
    for (const auto &item : header_.items) {
      taken_.emplace(item.name.text, item.name.span);
      if (!item.isFloat && !item.arrayLength)
        wholeNames_.insert(item.name.text);
    }
    for (const auto &clause : header_.names)
      if (clause.kind == syntax::NameClause::Kind::Param)
        taken_.emplace(clause.name.text, clause.name.span), wholeNames_.insert(clause.name.text);
    for (const auto &argument : header_.templateArguments)
      taken_.emplace(argument.name.text, argument.name.span), wholeNames_.insert(argument.name.text);
    std::vector<syntax::Identifier> sizes;
    for (const auto *list : {&header_.from, &header_.to, &header_.through})
      for (const auto &m : *list)
        for (const auto &extent : m.extents)
          collectNames(*extent, sizes);
    for (const auto &size : sizes)
      if (!taken_.contains(size.text))
        wholeNames_.insert(size.text), sizes_.insert(size.text);
    for (const Let &let : header_.lets)
      wholeNames_.erase(let.name.text); // until its turn
  }

  /// Whether the constant's name is free, and its value names none that comes later; else that is reported.
  bool isSound(std::size_t k) {
    const Let &let = header_.lets[k];
    if (!checkName(let.name, d_))
      return false;
    if (const auto other = taken_.find(let.name.text); other != taken_.end()) {
      d_.error(let.name.span, fmt::format("`{}` names two things in `{}`", let.name.text, header_.name.text))
          .note(other->second, "the other one is here")
          .help("give the constant a name of its own");
      return false;
    }
    for (std::size_t later = k; later < header_.lets.size(); ++later)
      if (const auto &name = header_.lets[later].name; mentions(let.value, name.text)) {
        const bool isItself = later == k;
        auto &error =
            d_.error(let.valueSpan, isItself ? fmt::format("the constant `{}` is made of itself", name.text)
                                             : fmt::format("the constant `{}` stands before `{}`, of which "
                                                           "it is made",
                                                           let.name.text, name.text));
        if (!isItself)
          error.note(name.span, "that one is here");
        error.help(
            isItself
                ? "a constant has one value in each call; what follows from itself is a matrix with versions"
                : "constants are computed in the order in which they stand: move this one behind the other");
        return false;
      }
    return true;
  }

  void place(const Let &let) {
    taken_.emplace(let.name.text, let.name.span);
    const bool mayBeWhole = !let.element || let.element->text == "int" || let.element->text == "long";
    ExprPtr whole = mayBeWhole ? syntax::wholeExpression(let.value) : nullptr;
    if (whole && dividesByNumbers(*whole) && isOfWholeNames(*whole)) {
      NameReplacer([&](const Expr &name) { return valueOf(name.text); }).expression(whole);
      whole_.emplace_back(&let, std::move(whole));
      wholeNames_.insert(let.name.text);
    } else {
      computed_.push_back(&let);
    }
  }

  bool isOfWholeNames(const Expr &e) const {
    std::vector<syntax::Identifier> names;
    collectNames(e, names);
    return std::all_of(names.begin(), names.end(),
                       [&](const syntax::Identifier &name) { return wholeNames_.contains(name.text); });
  }

  ExprPtr valueOf(const std::string &name) const {
    for (const auto &[let, value] : whole_)
      if (let->name.text == name)
        return value;
    return nullptr;
  }

  void replaceInHeaders() {
    const NameReplacer replacer([&](const Expr &name) {
      if (auto value = valueOf(name.text))
        return value;
      const auto computed = std::find_if(computed_.begin(), computed_.end(),
                                         [&](const Let *let) { return let->name.text == name.text; });
      if (computed == computed_.end())
        return ExprPtr();
      refuse(**computed, name);
      return ExprPtr(std::make_shared<Expr>(Expr{Expr::Kind::Integer, name.span, "0", {}}));
    });
    for (auto *list : {&header_.from, &header_.to, &header_.through})
      replacer.matrices(*list);
    replacer.structures(header_.structures);
    for (auto &rule : rules_)
      replacer.rule(rule);
  }

  void refuse(const Let &let, const Expr &at) {
    d_.error(at.span,
             fmt::format("the constant `{}` cannot be part of a size, a coordinate or a condition", at.text))
        .note(let.valueSpan, "its value is computed when the transform runs")
        .help("constants that can be are whole numbers made of sizes, params, tunables and such constants by "
              "`+`, `-`, "
              "`*`, and `/` by a number: which cells a rule computes is decided for all sizes at compile "
              "time. In a "
              "rule's body every constant can be used");
  }

  /// The names that a rule has given to something of its own.
  static bool isOwn(const syntax::Rule &rule, const std::string &name) {
    const auto isCalled = [&](const auto &list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const syntax::Region &r) { return r.name && r.name->text == name; });
    };
    return isCalled(rule.outputs) || isCalled(rule.inputs) ||
           std::any_of(rule.locals.begin(), rule.locals.end(),
                       [&](const syntax::MatrixDecl &m) { return m.name.text == name; }) ||
           std::any_of(rule.flags.begin(), rule.flags.end(), [&](const syntax::Flag &f) {
             return f.kind == syntax::Flag::Kind::Duplicate && f.name && f.name->text == name;
           });
  }

  /// Gives the body the constants that it names.
  void openBody(syntax::Rule &rule) const {
    source::MappedText body;
    for (const auto &[let, value] : whole_)
      if (mentions(rule.body.text, let->name.text) && !isOwn(rule, let->name.text))
        body.append(fmt::format("const int {} = {}; ", let->name.text, cxxOf(*value, sizes_)), let->valueSpan,
                    false);
    for (const Let *let : computed_)
      if (mentions(rule.body.text, let->name.text) && !isOwn(rule, let->name.text)) {
        syntax::Region region;
        region.matrix = let->name;
        region.name = let->name;
        region.span = region.accessorSpan = let->name.span;
        rule.inputs.push_back(std::move(region));
      }
    body.append(rule.body.text);
    rule.body.text = std::move(body);
  }

  /// The matrix that holds the constant, and its rule.
  void addRule(const Let &let) {
    const Span at = let.span;
    syntax::MatrixDecl matrix;
    matrix.name = let.name;
    matrix.element = let.element ? let.element : let.defaultElement;
    matrix.span = let.name.span;
    header_.through.push_back(std::move(matrix));
    syntax::Rule rule;
    rule.returnStyle = true;
    syntax::Flag label{syntax::Flag::Kind::Label, at};
    label.name = syntax::Identifier{"let_" + let.name.text, let.name.span};
    rule.flags.push_back(std::move(label));
    syntax::Region output;
    output.matrix = let.name;
    output.span = output.accessorSpan = let.name.span;
    rule.outputs.push_back(std::move(output));
    rule.body.text.append("return (", let.valueSpan, false);
    rule.body.text.append(let.value);
    rule.body.text.append(");", let.valueSpan, false);
    rule.body.span = let.valueSpan;
    rule.span = at;
    rule.headerSpan = let.name.span;
    openBody(rule);
    rules_.push_back(std::move(rule));
  }

  syntax::Transform &header_;
  std::vector<syntax::Rule> &rules_;
  source::Diagnostics &d_;
  std::map<std::string, Span> taken_;
  std::set<std::string> wholeNames_, sizes_;
  std::vector<std::pair<const Let *, ExprPtr>> whole_;
  std::vector<const Let *> computed_;
};

} // namespace

void placeLets(syntax::Transform &header, std::vector<syntax::Rule> &rules, source::Diagnostics &d) {
  if (!header.lets.empty())
    LetPlacer(header, rules, d).run();
}

} // namespace pbc::sema
