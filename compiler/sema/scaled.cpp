// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/scaled.h"
#include "compiler/sema/in_place.h"
#include "compiler/sema/steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace pbc::sema {

namespace {

using syntax::Expr;

/// The names in extents that are neither tunables nor constants: these are the sizes.
void collectSizes(const Expr &e, const std::set<std::string> &others, std::vector<std::string> &sizes) {
  if (e.kind == Expr::Kind::Name && !others.count(e.text) &&
      std::find(sizes.begin(), sizes.end(), e.text) == sizes.end())
    sizes.push_back(e.text);
  for (const auto &operand : e.operands)
    collectSizes(*operand, others, sizes);
}

/// An extent as C++, with scaled sizes. No extent is negative, so C++ rounds as the language does.
std::string scaled(const Expr &e, const std::vector<std::string> &sizes) {
  const auto operand = [&](int k) { return scaled(*e.operands[static_cast<std::size_t>(k)], sizes); };
  switch (e.kind) {
  case Expr::Kind::Name:
    return std::find(sizes.begin(), sizes.end(), e.text) == sizes.end() ? e.text : "scaled_" + e.text;
  case Expr::Kind::Integer:
  case Expr::Kind::Float:
    return e.text;
  case Expr::Kind::Negate:
    return "(-" + operand(0) + ")";
  case Expr::Kind::Add:
    return "(" + operand(0) + " + " + operand(1) + ")";
  case Expr::Kind::Subtract:
    return "(" + operand(0) + " - " + operand(1) + ")";
  case Expr::Kind::Multiply:
    return "(" + operand(0) + " * " + operand(1) + ")";
  case Expr::Kind::Divide:
    return "(" + operand(0) + " / " + operand(1) + ")";
  case Expr::Kind::Power:
    return "static_cast<int>(pow(" + operand(0) + ", " + operand(1) + "))";
  }
  return "";
}

std::string typeOf(const syntax::MatrixDecl &m) {
  const auto element = m.element ? findElement(m.element->text) : Element::F64;
  return fmt::format("pb::Region<{}, {}>", cxxType(element.value_or(Element::F64)), m.extents.size());
}

syntax::Region whole(const syntax::MatrixDecl &m, Span span) {
  syntax::Region r;
  r.matrix = r.name.emplace(syntax::Identifier{m.name.text, span});
  r.span = r.accessorSpan = span;
  return r;
}

std::string bodyOf(const syntax::Transform &t, const std::string &by) {
  std::set<std::string> others;
  for (const auto &item : t.items)
    others.insert(item.name.text);
  for (const auto &a : t.templateArguments)
    others.insert(a.name.text);
  std::vector<std::string> sizes;
  for (const auto *list : {&t.from, &t.to})
    for (const auto &m : *list)
      for (const auto &e : m.extents)
        collectSizes(*e, others, sizes);
  std::string out, copies, smaller, larger, arguments;
  for (const auto &s : sizes)
    out += fmt::format("int scaled_{0} = static_cast<int>({0} * long(scale_percent) / 100); "
                       "if (scaled_{0} == 0 && {0} > 0) scaled_{0} = 1; ",
                       s);
  for (const auto *list : {&t.to, &t.from})
    for (const auto &m : *list) {
      const std::string &name = m.name.text;
      arguments += (arguments.empty() ? "" : ", ") + (m.extents.empty() ? name : "scaled_" + name);
      if (m.extents.empty())
        continue;
      std::string extents;
      for (const auto &e : m.extents)
        extents += (extents.empty() ? "" : ", ") + scaled(*e, sizes);
      copies += fmt::format("{0} scaled_{1} = {0}::allocate({2}); ", typeOf(m), name, extents);
      (list == &t.to ? larger : smaller) += list == &t.to
                                                ? fmt::format("{}({}, scaled_{}); ", by, name, name)
                                                : fmt::format("{}(scaled_{}, {}); ", by, name, name);
    }
  std::string constants;
  for (const auto &a : t.templateArguments)
    constants += (constants.empty() ? "<" : ", ") + a.name.text;
  return out + copies + smaller + t.name.text + constants + (constants.empty() ? "(" : ">(") + arguments +
         "); " + larger;
}

} // namespace

const syntax::NameClause *scaledBy(const syntax::Transform &t) {
  for (const auto &clause : t.names)
    if (clause.kind == syntax::NameClause::Kind::ScaledBy)
      return &clause;
  return nullptr;
}

void addScaledRule(syntax::Transform &header, std::vector<syntax::Rule> &rules, source::Diagnostics &d) {
  const auto *clause = scaledBy(header);
  if (!clause)
    return;
  if (header.accuracyBins.empty()) {
    d.warning(clause->span, "`scaled_by` has no effect without accuracy targets")
        .help("a result at a smaller size is less exact: say with `accuracy_metric` and `accuracy_bins` "
              "what is exact enough");
    return;
  }
  for (const auto &m : header.to)
    if (isUpdated(header, m.name.text)) {
      d.error(clause->span, fmt::format("`scaled_by` cannot be used here: `{}` updates `{}` in place",
                                        header.name.text, m.name.text))
          .note(m.span, "the matrix is declared here")
          .help("give the output a name of its own");
      return;
    }
  const Span at = clause->span;
  syntax::Item item{syntax::Item::Kind::AccuracyVariable, {"scale_percent", at}};
  item.sizeSpecific = true;
  item.initial = syntax::Literal{false, 50, at};
  item.minimum = syntax::Literal{false, 10, at};
  item.maximum = syntax::Literal{false, 90, at};
  item.span = at;
  syntax::Rule rule;
  rule.replacesAll = true;
  syntax::Flag label{syntax::Flag::Kind::Label, at};
  label.name = syntax::Identifier{"scaled_by_" + clause->name.text, at};
  rule.flags.push_back(std::move(label));
  for (const auto &m : header.to)
    rule.outputs.push_back(whole(m, at));
  for (const auto &m : header.from)
    rule.inputs.push_back(whole(m, at));
  rule.body.text.append(bodyOf(header, clause->name.text), at, false);
  rule.body.span = rule.span = rule.headerSpan = at;
  header.items.push_back(std::move(item));
  rules.push_back(std::move(rule));
}

void checkScaledBy(const Module &module, const Transform &t, source::Diagnostics &d) {
  const Transform *by = module.find(t.scaledBy);
  if (!by) {
    d.error(t.scaledBySpan, fmt::format("`scaled_by`: `{}` is not a transform of this program", t.scaledBy));
    return;
  }
  const bool isOneToOne = by->inputCount() == 1 && by->outputCount() == 1 && by->params.empty();
  const auto resizes = [&](const Matrix &m) {
    return m.role == Role::Through || m.rank() == 0 ||
           (isOneToOne && m.rank() == by->matrices[0].rank() && m.rank() == by->matrices[1].rank() &&
            m.element == by->matrices[0].element && m.element == by->matrices[1].element && !m.isVersioned);
  };
  for (const Matrix &m : t.matrices)
    if (!resizes(m)) {
      d.error(t.scaledBySpan, fmt::format("`{}` cannot make `{}` smaller and larger", t.scaledBy, m.name))
          .note(m.span, "the matrix is declared here")
          .note(by->span, "this is the transform")
          .help(fmt::format(
              "a transform that scales has one input and one output, of any two sizes; here, of {} "
              "dimensions and the elements `{}`",
              m.rank(), name(m.element)));
      return;
    }
}

} // namespace pbc::sema
