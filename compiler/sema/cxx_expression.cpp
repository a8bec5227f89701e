// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/cxx_expression.h"
#include "compiler/sema/affine.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

namespace {

using syntax::Expr;
using syntax::ExprPtr;

/// Whether the value is at least 0 whatever the sizes are.
bool isNeverNegative(const Expr &e, const std::set<std::string> &sizes) {
  const bool isSum =
      e.kind == Expr::Kind::Add || e.kind == Expr::Kind::Multiply || e.kind == Expr::Kind::Divide;
  return e.kind == Expr::Kind::Integer || (e.kind == Expr::Kind::Name && sizes.contains(e.text)) ||
         (isSum && std::all_of(e.operands.begin(), e.operands.end(),
                               [&](const ExprPtr &o) { return isNeverNegative(*o, sizes); }));
}

const char *cxxSymbol(syntax::Relation::Op op) {
  static const char *const symbols[] = {"==", "!=", "<", ">", "<=", ">="};
  return symbols[static_cast<int>(op)];
}

} // namespace

std::string cxxQuotient(const std::string &dividend, const std::string &divisor, bool isNeverNegative) {
  if (isNeverNegative)
    return "(" + dividend + " / " + divisor + ")";
  return fmt::format("({0} >= 0 ? {0} / {1} : ({0} - ({1} - 1)) / {1})", dividend, divisor);
}

std::string cxxOf(const Expr &e, const std::set<std::string> &sizes) {
  const auto operand = [&](std::size_t k) { return cxxOf(*e.operands[k], sizes); };
  switch (e.kind) {
  case Expr::Kind::Negate:
    return "(-" + operand(0) + ")";
  case Expr::Kind::Add:
    return "(" + operand(0) + " + " + operand(1) + ")";
  case Expr::Kind::Subtract:
    return "(" + operand(0) + " - " + operand(1) + ")";
  case Expr::Kind::Multiply:
    return "(" + operand(0) + " * " + operand(1) + ")";
  case Expr::Kind::Divide:
    return cxxQuotient(operand(0), operand(1), isNeverNegative(*e.operands[0], sizes));
  case Expr::Kind::Power: {
    std::string out = "1";
    for (long k = 0; k < constantValue(*e.operands[1]).value_or(0); ++k)
      out += " * " + operand(0);
    return "(" + out + ")";
  }
  default:
    return e.text;
  }
}

std::string cxxOf(const syntax::Condition &c, const std::set<std::string> &sizes) {
  if (c.kind == syntax::Condition::Kind::Relation)
    return fmt::format("{} {} {}", cxxOf(*c.relation->left, sizes), cxxSymbol(c.relation->op),
                       cxxOf(*c.relation->right, sizes));
  if (c.kind == syntax::Condition::Kind::Not)
    return "!(" + cxxOf(c.parts.front(), sizes) + ")";
  std::string out;
  for (const syntax::Condition &part : c.parts)
    out += fmt::format("{}({})",
                       out.empty()                              ? ""
                       : c.kind == syntax::Condition::Kind::Any ? " || "
                                                                : " && ",
                       cxxOf(part, sizes));
  return out;
}

} // namespace pbc::sema
