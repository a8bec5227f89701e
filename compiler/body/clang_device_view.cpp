// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/body/clang_device_printer.h"
#include "compiler/body/clang_order.h"
#include <fmt/format.h>

namespace pbc::body {

using namespace clang;

namespace {

const TemplateArgumentList &argumentsOf(QualType region) {
  return llvm::cast<ClassTemplateSpecializationDecl>(regionClass(region))->getTemplateArgs();
}

} // namespace

std::string DevicePrinter::elementOf(QualType region, SourceRange range) const {
  const QualType element = argumentsOf(region)[0].getAsType();
  return (element.isConstQualified() ? "const " : "") + typeName(element, range);
}

int DevicePrinter::rankOf(QualType region) {
  return static_cast<int>(argumentsOf(region)[1].getAsIntegral().getSExtValue());
}

std::string DevicePrinter::pointerTo(const View &v) const {
  return (v.space.empty() ? "" : v.space + " ") + v.element + " *";
}

DevicePrinter::View DevicePrinter::view(const Expr *e) {
  const Expr *inner = stripped(e);
  if (!regionClass(inner->getType()))
    refuse(e, "`" + source(e) + "` is not a view of a matrix of the rule");
  if (const Name *name = nameOf(inner); name && name->kind == Name::Kind::View) {
    if (name->parameter >= 0)
      used_[static_cast<std::size_t>(name->parameter)] = true;
    return name->view;
  }
  if (const auto *m = llvm::dyn_cast<CXXMemberCallExpr>(inner))
    return part(m);
  if (const auto *c = llvm::dyn_cast<CallExpr>(inner);
      c && c->getDirectCallee() && c->getDirectCallee()->getIdentifier() &&
      c->getDirectCallee()->getName().starts_with("allocate"))
    refuse(e, "it makes a matrix of its own");
  refuse(e, "`" + source(e) + "` is not a view of a matrix of the rule");
}

/// The coordinate as a long, which the C++ methods take.
std::string DevicePrinter::position(const Expr *e) {
  if (!e->getType()->isIntegralOrEnumerationType())
    return "(long)" + value(e); // the templates convert
  return typeName(e->getType(), e->getSourceRange()) == "long" ? value(e) : "(long)" + value(e);
}

int DevicePrinter::dimension(const Expr *e, const View &v) const {
  Expr::EvalResult known;
  const bool isKnown = e->EvaluateAsInt(known, context_);
  const auto d = isKnown ? known.Val.getInt().getSExtValue() : -1;
  if (d < 0 || d >= static_cast<std::int64_t>(v.extents.size()))
    refuse(e, "the dimension `" + source(e) + "` is not one of the view's dimensions");
  return static_cast<int>(d);
}

DevicePrinter::View DevicePrinter::part(const CXXMemberCallExpr *m) {
  const std::string name = m->getMethodDecl()->getIdentifier() ? m->getMethodDecl()->getNameAsString() : "";
  View v = view(m->getImplicitObjectArgument());
  if (name == "all")
    return v;
  if (name == "transposed") {
    std::reverse(v.strides.begin(), v.strides.end());
    std::reverse(v.extents.begin(), v.extents.end());
    return v;
  }
  if (name == "region" && m->getNumArgs() == 2 * v.extents.size()) {
    std::string offset;
    for (std::size_t d = 0; d < v.extents.size(); ++d) {
      const Expr *begin = m->getArg(static_cast<unsigned>(d));
      const Expr *end = m->getArg(static_cast<unsigned>(v.extents.size() + d));
      requireRepeatable(begin), requireRepeatable(end);
      const std::string from = position(begin);
      offset += fmt::format(" + {} * {}", from, v.strides[d]);
      v.extents[d] = fmt::format("(int)({} - {})", position(end), from);
    }
    v.pointer = "(" + v.pointer + offset + ")";
    return v;
  }
  const bool isRow = name == "row", isColumn = name == "column" || name == "col";
  if (isRow || isColumn || name == "slice") {
    const int d = isRow ? 1 : isColumn ? 0 : dimension(m->getArg(0), v);
    const Expr *at = m->getArg(name == "slice" ? 1 : 0);
    requireRepeatable(at);
    v.pointer =
        fmt::format("({} + {} * {})", v.pointer, position(at), v.strides[static_cast<std::size_t>(d)]);
    v.strides.erase(v.strides.begin() + d);
    v.extents.erase(v.extents.begin() + d);
    return v;
  }
  refuse(m, "views of devices have no `" + name + "`");
}

std::string DevicePrinter::cell(const View &v, const std::vector<const Expr *> &at, const Expr *e) {
  if (at.size() != v.strides.size())
    refuse(e, "`" + source(e) + "` has not one coordinate per dimension");
  std::string offset;
  for (std::size_t d = 0; d < at.size(); ++d)
    offset += fmt::format("{}{} * {}", d ? " + " : "", position(at[d]), v.strides[d]);
  return v.pointer + "[" + (offset.empty() ? "0" : offset) + "]";
}

/// A method whose result is not a view.
std::string DevicePrinter::method(const CXXMemberCallExpr *m) {
  const CXXMethodDecl *called = m->getMethodDecl();
  const Expr *object = m->getImplicitObjectArgument();
  if (!called || !regionClass(object->getType()))
    refuse(m, "it calls a method of a class: `" + source(m) + "`");
  const bool isValue = llvm::isa<CXXConversionDecl>(called);
  const std::string name = isValue ? "cell" : called->getNameAsString();
  if (regionClass(m->getType()))
    refuse(m, "the view `" + source(m) + "` is used as a whole");
  const View v = view(object);
  const std::vector<const Expr *> at(m->arg_begin(), m->arg_end());
  if (name == "cell")
    return cell(v, at, m);
  const bool isWidth = name == "width", isHeight = name == "height";
  if (isWidth || isHeight || name == "depth" || name == "size") {
    const auto d = name == "size" ? static_cast<std::size_t>(dimension(at.at(0), v))
                   : isWidth      ? 0U
                   : isHeight     ? 1U
                                  : 2U;
    if (d >= v.extents.size())
      refuse(m, "`" + source(m) + "` names no dimension of the view");
    return v.extents[d].starts_with('(') ? "(" + v.extents[d] + ")" : v.extents[d];
  }
  if (name == "count") {
    std::string product = "1L";
    for (const std::string &n : v.extents)
      product += " * (long)(" + n + ")";
    return "(" + product + ")";
  }
  if (name == "contains" && at.size() == v.extents.size()) {
    std::string all;
    for (std::size_t d = 0; d < at.size(); ++d) {
      requireRepeatable(at[d]);
      const std::string where = position(at[d]);
      all += fmt::format("{0}{1} >= 0 && {1} < {2}", d ? " && " : "", where, v.extents[d]);
    }
    return "(" + (all.empty() ? "true" : all) + ")";
  }
  refuse(m, "views of devices have no `" + name + "`");
}

} // namespace pbc::body
