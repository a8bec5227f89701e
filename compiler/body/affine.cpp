// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns Values into isl's quasi-affine expressions: sums of multiples of atoms, where an atom is a name or a
// floor division.
#include "compiler/body/value.h"
#include "compiler/poly/names.h"
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

std::optional<Sum> sum(const Value &, const Facts &);

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

std::optional<Sum> binarySum(const Value &v, const Facts &facts) {
  auto a = sum(*v.operands[0], facts), b = sum(*v.operands[1], facts);
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

std::optional<Sum> sum(const Value &v, const Facts &facts) {
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
    return Sum::atom(poly::mangle(facts.iterators[v.index]));
  case Value::Kind::Name:
    return Sum::atom(poly::mangle(v.text));
  case Value::Kind::Unary: {
    Sum s;
    auto inner = v.text == "-" ? sum(*v.operands[0], facts) : std::nullopt;
    return inner && s.plus(*inner, -1) ? std::optional(s) : std::nullopt;
  }
  case Value::Kind::Binary:
    return binarySum(v, facts);
  case Value::Kind::Cast:
    return sum(*v.operands[0], facts); // sizes and coordinates fit an int
  case Value::Kind::Call:
    if (v.text == "pb::floordiv") {
      auto a = sum(*v.operands[0], facts), b = sum(*v.operands[1], facts);
      return a && b ? division(*a, *b, false) : std::nullopt;
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

} // namespace

std::string affineText(const Value &v, const Facts &facts, bool &ok) {
  const auto s = sum(v, facts);
  ok = s.has_value();
  return s ? s->text() : "";
}

} // namespace pbc::body
