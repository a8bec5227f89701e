// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/combination.h"

namespace pbc::loop {
namespace {

using Of = Combination::Op;

bool isReal(Scalar s) { return s == Scalar::F64 || s == Scalar::F32; }

Expr operation(Operation::Op op, Scalar type, std::vector<Expr> operands) {
  return make({Operation{op, type, std::move(operands)}});
}
Expr literal(const std::string &text, Scalar type) { return make({Literal{text, type}}); }
/// A small number, as programs write it in this type.
Expr number(const std::string &digits, Scalar type) {
  return literal(digits + (type == Scalar::F64 ? ".0" : type == Scalar::F32 ? ".0f" : ""), type);
}

/// The largest value of the type, or the smallest one.
Expr extreme(Scalar s, bool isLeast) {
  if (isReal(s)) {
    const Expr infinity = make({Infinity{s}});
    return isLeast ? operation(Operation::Op::Negate, s, {infinity}) : infinity;
  }
  const auto leastOf = [](const Expr &largest, Scalar type) {
    return operation(Operation::Op::Subtract, type,
                     {operation(Operation::Op::Negate, type, {largest}), literal("1", type)});
  };
  if (s == Scalar::I64 || s == Scalar::I32) {
    const Expr largest = literal(s == Scalar::I64 ? "9223372036854775807L" : "2147483647", s);
    return isLeast ? leastOf(largest, s) : largest;
  }
  return literal(isLeast ? "0" : s == Scalar::U8 ? "255" : "1", s);
}

Expr neutralValue(const Combination &c) {
  switch (c.op) {
  case Of::Minimum:
    return extreme(c.element, false);
  case Of::Maximum:
    return extreme(c.element, true);
  case Of::Multiply:
  case Of::And:
    return number("1", c.element);
  case Of::BitAnd:
    return c.element == Scalar::Bool ? literal("1", c.element)
                                     : operation(Operation::Op::Negate, c.element, {literal("1", c.element)});
  default:
    return number("0", c.element);
  }
}

Operation::Op infixOf(Of op) {
  switch (op) {
  case Of::Multiply:
    return Operation::Op::Multiply;
  case Of::BitAnd:
    return Operation::Op::BitAnd;
  case Of::BitOr:
    return Operation::Op::BitOr;
  case Of::BitXor:
    return Operation::Op::BitXor;
  case Of::And:
    return Operation::Op::And;
  case Of::Or:
    return Operation::Op::Or;
  default:
    return Operation::Op::Add;
  }
}

} // namespace

Expr neutral(const Combination &c) { return make({Cast{c.element, neutralValue(c)}}); }

Expr combined(const Combination &c, const Expr &a, const Expr &b) {
  using To = Operation::Op;
  if (c.op == Of::Minimum)
    return operation(To::Choose, c.element, {operation(To::Less, Scalar::Bool, {b, a}), b, a});
  if (c.op == Of::Maximum)
    return operation(To::Choose, c.element, {operation(To::Less, Scalar::Bool, {a, b}), b, a});
  return make({Cast{c.element, operation(infixOf(c.op), c.element, {a, b})}});
}

} // namespace pbc::loop
