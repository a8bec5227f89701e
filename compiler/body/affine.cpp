// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns Values into isl's quasi-affine expressions: sums of multiples of atoms, where an atom is a name or a
// floor division, and in bounds of loops a choice.
#include "compiler/body/affine.h"
#include "compiler/body/value.h"
#include "compiler/poly/names.h"
#include <fmt/format.h>
#include <map>

namespace pbc::body {
namespace {

struct Sum {
  std::map<std::string, long> terms; // isl text of the atom -> its factor
  long constant = 0;

  bool isConstant() const { return terms.empty(); }
  bool plus(const Sum &other, long factor) {
    for (const auto &[atom, f] : other.terms) {
      long scaled = 0, &mine = terms[atom];
      if (__builtin_mul_overflow(f, factor, &scaled) || __builtin_add_overflow(mine, scaled, &mine))
        return false;
      if (mine == 0)
        terms.erase(atom);
    }
    long scaled = 0;
    return !__builtin_mul_overflow(other.constant, factor, &scaled) &&
           !__builtin_add_overflow(constant, scaled, &constant);
  }
  std::string text() const {
    std::string out;
    for (const auto &[atom, f] : terms) {
      const long size = f < 0 ? -f : f;
      out += out.empty() ? (f < 0 ? "-" : "") : f < 0 ? " - " : " + ";
      out += (size == 1 ? "" : std::to_string(size) + "*") + atom;
    }
    if (out.empty())
      return std::to_string(constant);
    if (constant)
      out += (constant < 0 ? " - " : " + ") + std::to_string(constant < 0 ? -constant : constant);
    return out;
  }
  static Sum atom(std::string text) {
    Sum s;
    s.terms[std::move(text)] = 1;
    return s;
  }
};

struct Reader {
  const Facts &facts;
  bool hasChoices; // whether choices are atoms
};

std::optional<Sum> sum(const Value &, const Reader &);

/// a/b and a%b, if the divisor is a positive constant and rounding down is the same as rounding towards zero.
std::optional<Sum> division(const Sum &a, const Sum &b, bool remainder) {
  if (!b.isConstant() || b.constant <= 0)
    return std::nullopt;
  Sum out;
  if (a.isConstant()) {
    const long quotient =
        a.constant >= 0 ? a.constant / b.constant : -((-a.constant + b.constant - 1) / b.constant);
    out.constant = remainder ? a.constant - quotient * b.constant : quotient;
    return out;
  }
  const std::string by = std::to_string(b.constant);
  return Sum::atom(remainder ? "((" + a.text() + ") mod " + by + ")"
                             : "floor((" + a.text() + ")/" + by + ")");
}

std::optional<Sum> binarySum(const Value &v, const Reader &reader) {
  const Reader inner{reader.facts, reader.hasChoices && v.text != "/" && v.text != "%"};
  auto a = sum(*v.operands[0], inner), b = sum(*v.operands[1], inner);
  if (!a || !b)
    return std::nullopt;
  if (v.text == "+" || v.text == "-")
    return a->plus(*b, v.text == "+" ? 1 : -1) ? a : std::nullopt;
  if (v.text == "*") {
    if (!a->isConstant())
      std::swap(a, b);
    Sum out;
    return a->isConstant() && out.plus(*b, a->constant) ? std::optional(out) : std::nullopt;
  }
  if ((v.text == "/" || v.text == "%") && v.operands[0]->nonNegative)
    return division(*a, *b, v.text == "%");
  return std::nullopt;
}

/// What a comparison says as a sum that is at least 1.
std::optional<Sum> positive(const Value &comparison, const Reader &reader) {
  const bool isLess = comparison.text.starts_with('<');
  if (comparison.kind != Value::Kind::Binary || (comparison.text != "<" && comparison.text != "<=" &&
                                                 comparison.text != ">" && comparison.text != ">="))
    return std::nullopt;
  const auto a = sum(*comparison.operands[isLess ? 1 : 0], reader),
             b = sum(*comparison.operands[isLess ? 0 : 1], reader);
  if (!a || !b)
    return std::nullopt;
  Sum difference = *a;
  if (comparison.text.size() == 2)
    difference.constant += 1;
  return difference.plus(*b, -1) ? std::optional(difference) : std::nullopt;
}

/// The larger or smaller one of two sums: `a < b ? b : a` and all that says the same, as `k >= m ? k - m + 1 : 0`.
std::optional<Sum> choice(const Value &v, const Reader &reader) {
  const auto yes = sum(*v.operands[1], reader), no = sum(*v.operands[2], reader);
  const auto chosen = positive(*v.operands[0], reader); // the first one is chosen where it is at least 1
  if (!yes || !no || !chosen)
    return std::nullopt;
  for (const bool isLarger : {true, false}) {
    Sum rest = isLarger ? *yes : *no; // by how much it is more than the other one
    if (rest.plus(isLarger ? *no : *yes, -1) && rest.plus(*chosen, -1) && rest.isConstant() &&
        (rest.constant == 0 ||
         rest.constant == -1)) // -1: where it is at least 0, and with 0 both are the same
      return Sum::atom(fmt::format("{}({}, {})", isLarger ? "max" : "min", yes->text(), no->text()));
  }
  return std::nullopt;
}

std::optional<Sum> sum(const Value &v, const Reader &reader) {
  if (v.type != Scalar::I32 && v.type != Scalar::I64)
    return std::nullopt;
  switch (v.kind) {
  case Value::Kind::Literal: {
    Sum s;
    if (v.text.size() > 19)
      return std::nullopt;
    s.constant = std::strtol(v.text.c_str(), nullptr, 10);
    return s;
  }
  case Value::Kind::Iterator:
    return Sum::atom(poly::mangle(reader.facts.iterators[v.index]));
  case Value::Kind::Name:
    return Sum::atom(poly::mangle(v.text));
  case Value::Kind::Unary: {
    Sum s;
    auto inner = v.text == "-" ? sum(*v.operands[0], reader) : std::nullopt;
    return inner && s.plus(*inner, -1) ? std::optional(s) : std::nullopt;
  }
  case Value::Kind::Binary:
    return binarySum(v, reader);
  case Value::Kind::Select:
    return reader.hasChoices ? choice(v, reader) : std::nullopt;
  case Value::Kind::Cast:
    return sum(*v.operands[0], reader); // sizes and coordinates fit an int
  case Value::Kind::Call:
    if (v.text == "pb::floordiv") {
      auto a = sum(*v.operands[0], reader), b = sum(*v.operands[1], reader);
      return a && b ? division(*a, *b, false) : std::nullopt;
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace

std::string affineText(const Value &v, const Facts &facts, bool &ok) {
  const auto s = sum(v, {facts, false});
  ok = s.has_value();
  return s ? s->text() : "";
}

std::optional<std::string> boundText(const Value &v, const Facts &facts) {
  const auto s = sum(v, {facts, true});
  return s ? std::optional(s->text()) : std::nullopt;
}

std::optional<std::string> conditionText(const Value &v, const Facts &facts) {
  if (v.kind == Value::Kind::Cast && v.type == Scalar::Bool && v.operands[0]->type == Scalar::Bool)
    return conditionText(*v.operands[0], facts);
  if (v.kind == Value::Kind::Unary && v.text == "!") {
    const auto inner = conditionText(*v.operands[0], facts);
    return inner ? std::optional("not (" + *inner + ")") : std::nullopt;
  }
  if (v.kind != Value::Kind::Binary)
    return std::nullopt;
  if (v.text == "&&" || v.text == "||") {
    const auto left = conditionText(*v.operands[0], facts), right = conditionText(*v.operands[1], facts);
    if (!left || !right)
      return std::nullopt;
    return fmt::format("({}) {} ({})", *left, v.text == "&&" ? "and" : "or", *right);
  }
  for (const char *op : {"<", "<=", ">", ">=", "==", "!="})
    if (v.text == op) {
      bool isAffine[2] = {};
      const std::string left = affineText(*v.operands[0], facts, isAffine[0]),
                        right = affineText(*v.operands[1], facts, isAffine[1]);
      if (isAffine[0] && isAffine[1])
        return fmt::format("({}) {} ({})", left, v.text == "==" ? "=" : op, right);
    }
  return std::nullopt;
}

} // namespace pbc::body
