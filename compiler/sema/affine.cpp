// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/affine.h"
#include "compiler/poly/names.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::sema {

using Kind = syntax::Expr::Kind;

namespace {

constexpr long kLargestConstant = 1L << 31;

std::optional<long> within(__int128 v) {
  if (v > kLargestConstant || v < -kLargestConstant)
    return std::nullopt;
  return static_cast<long>(v);
}

struct Texts {
  std::string isl, cxx;
};

/// Coefficients by monomial, each the sorted list of its names; {} for the constant.
using Polynomial = std::map<std::vector<std::string>, long>;

constexpr std::size_t kMostTerms = 32, kHighestDegree = 8;

std::optional<Polynomial> product(const Polynomial &a, const Polynomial &b) {
  Polynomial out;
  for (const auto &[left, i] : a)
    for (const auto &[right, k] : b) {
      std::vector<std::string> names = left;
      names.insert(names.end(), right.begin(), right.end());
      std::sort(names.begin(), names.end());
      const auto sum = within(__int128(i) * k + out[names]);
      if (!sum || names.size() > kHighestDegree || out.size() > kMostTerms)
        return std::nullopt;
      out[names] = *sum;
    }
  return out;
}

/// The expression as a polynomial; nothing for divisions or large numbers. A power `^` becomes repeated factors.
std::optional<Polynomial> polynomial(const syntax::Expr &e) {
  if (const auto value = constantValue(e))
    return Polynomial{{{}, *value}};
  if (e.kind == Kind::Name)
    return Polynomial{{{poly::mangle(e.text)}, 1}};
  if (e.kind == Kind::Divide || e.operands.empty())
    return std::nullopt;
  auto a = polynomial(*e.operands[0]);
  if (!a || e.kind == Kind::Negate)
    return a ? product(*a, {{{}, -1}}) : a;
  if (e.kind == Kind::Power) {
    const auto exponent = constantValue(*e.operands[1]);
    std::optional<Polynomial> power = Polynomial{{{}, 1}};
    if (!exponent || *exponent < 0 || *exponent > static_cast<long>(kHighestDegree))
      return std::nullopt;
    for (long i = 0; i < *exponent && power; ++i)
      power = product(*power, *a);
    return power;
  }
  auto b = polynomial(*e.operands[1]);
  if (!b || e.kind == Kind::Multiply)
    return b ? product(*a, *b) : b;
  for (const auto &[names, coefficient] : *b) {
    const auto sum = within(__int128((*a)[names]) + (e.kind == Kind::Add ? 1 : -1) * __int128(coefficient));
    if (!sum)
      return std::nullopt;
    (*a)[names] = *sum;
  }
  return a;
}

/// A product of variables each of whose monomials becomes a size of its own; nothing if that is not allowed.
std::optional<Texts> convertProduct(const syntax::Expr &e, const ProductName &products) {
  const auto terms = polynomial(e);
  if (!terms)
    return std::nullopt;
  Texts sum;
  for (const auto &[names, coefficient] : *terms) {
    if (coefficient == 0)
      continue;
    const auto name = names.size() < 2 ? poly::join(names, "") : products(names);
    if (!name)
      return std::nullopt;
    const char *plus = sum.isl.empty() ? "(" : " + ";
    sum.isl += fmt::format("{}{}{}", plus, coefficient, name->empty() ? "" : "*" + *name);
    sum.cxx +=
        fmt::format("{}{}{}{}", plus, coefficient, names.empty() ? "" : " * ", fmt::join(names, " * "));
  }
  return sum.isl.empty() ? Texts{"0", "0"} : Texts{sum.isl + ")", sum.cxx + ")"};
}

bool allKnown(const syntax::Expr &e, const NameCheck &known) {
  std::vector<syntax::Identifier> names;
  collectNames(e, names);
  return std::all_of(names.begin(), names.end(),
                     [&](const syntax::Identifier &n) { return known(n.text, n.span); });
}

std::optional<Texts> convert(const syntax::Expr &e, const NameCheck &known, const ProductName &products,
                             source::Diagnostics &diagnostics) {
  if (const auto value = constantValue(e)) {
    const std::string text = *value < 0 ? fmt::format("({})", *value) : std::to_string(*value);
    return Texts{text, text};
  }
  switch (e.kind) {
  case Kind::Name: {
    if (!known(e.text, e.span))
      return std::nullopt;
    const std::string name = poly::mangle(e.text);
    return Texts{name, name};
  }
  case Kind::Integer:
    diagnostics.error(e.span, fmt::format("the number {} is too large for a size or a coordinate", e.text))
        .help("sizes and coordinates are 32-bit integers");
    return std::nullopt;
  case Kind::Float:
    diagnostics
        .error(e.span, fmt::format("`{}` is not an integer: sizes and coordinates are integers", e.text))
        .help("use an integer, or integer division such as `n/2`");
    return std::nullopt;
  case Kind::Negate: {
    auto a = convert(*e.operands[0], known, products, diagnostics);
    if (!a)
      return std::nullopt;
    return Texts{"(-" + a->isl + ")", "(-" + a->cxx + ")"};
  }
  case Kind::Add:
  case Kind::Subtract: {
    auto a = convert(*e.operands[0], known, products, diagnostics),
         b = convert(*e.operands[1], known, products, diagnostics);
    if (!a || !b)
      return std::nullopt;
    const char *op = e.kind == Kind::Add ? " + " : " - ";
    return Texts{"(" + a->isl + op + b->isl + ")", "(" + a->cxx + op + b->cxx + ")"};
  }
  case Kind::Multiply: {
    const auto left = constantValue(*e.operands[0]), right = constantValue(*e.operands[1]);
    if (!left && !right) {
      if (!allKnown(e, known))
        return std::nullopt;
      if (auto sum = convertProduct(e, products))
        return sum;
      diagnostics
          .error(e.span, fmt::format("`{}` multiplies two variables: sizes and coordinates must be affine",
                                     syntax::print(e)))
          .help("all factors but one must be numbers, or all of them sizes");
      return std::nullopt;
    }
    auto a = convert(*e.operands[left ? 1 : 0], known, products, diagnostics);
    if (!a)
      return std::nullopt;
    const long factor = left ? *left : *right;
    return Texts{fmt::format("({}*{})", factor, a->isl), fmt::format("({} * {})", factor, a->cxx)};
  }
  case Kind::Divide: {
    const auto divisor = constantValue(*e.operands[1]);
    if (!divisor || *divisor <= 0) {
      diagnostics.error(e.operands[1]->span, "the divisor must be a positive number")
          .help("sizes and coordinates are affine: only division by a constant, rounded down, is possible");
      return std::nullopt;
    }
    auto a = convert(*e.operands[0], known, products, diagnostics);
    if (!a)
      return std::nullopt;
    return Texts{fmt::format("floor({}/{})", a->isl, *divisor),
                 fmt::format("pb::floordiv({}, {})", a->cxx, *divisor)};
  }
  case Kind::Power:
    if (!allKnown(e, known))
      return std::nullopt;
    if (auto sum = convertProduct(e, products))
      return sum;
    diagnostics
        .error(e.span, fmt::format("`{}` is not affine: `^` needs a size and a small number, or two numbers",
                                   syntax::print(e)))
        .help("a power of another variable cannot be a size or a coordinate");
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace

std::optional<long> constantValue(const syntax::Expr &e) {
  const auto operand = [&](std::size_t i) { return constantValue(*e.operands[i]); };
  switch (e.kind) {
  case Kind::Integer: {
    __int128 v = 0;
    for (const char c : e.text) {
      v = v * 10 + (c - '0');
      if (v > kLargestConstant)
        return std::nullopt;
    }
    return static_cast<long>(v);
  }
  case Kind::Negate:
    if (const auto a = operand(0))
      return -*a;
    return std::nullopt;
  case Kind::Add:
    if (const auto a = operand(0), b = operand(1); a && b)
      return within(__int128(*a) + *b);
    return std::nullopt;
  case Kind::Subtract:
    if (const auto a = operand(0), b = operand(1); a && b)
      return within(__int128(*a) - *b);
    return std::nullopt;
  case Kind::Multiply:
    if (const auto a = operand(0), b = operand(1); a && b)
      return within(__int128(*a) * *b);
    return std::nullopt;
  case Kind::Divide:
    if (const auto a = operand(0), b = operand(1); a && b && *b > 0)
      return *a >= 0 ? *a / *b : -((-*a + *b - 1) / *b);
    return std::nullopt;
  case Kind::Power:
    if (const auto a = operand(0), b = operand(1); a && b && *b >= 0 && *b < 64) {
      __int128 v = 1;
      for (long i = 0; i < *b; ++i) {
        v *= *a;
        if (!within(v))
          return std::nullopt;
      }
      return within(v);
    }
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<Affine> affine(const syntax::Expr &e, const NameCheck &known, const ProductName &products,
                             source::Diagnostics &diagnostics) {
  auto texts = convert(e, known, products, diagnostics);
  if (!texts)
    return std::nullopt;
  Affine made{std::move(texts->isl), std::move(texts->cxx), syntax::print(e), e.span};
  std::vector<syntax::Identifier> names;
  collectNames(e, names);
  for (const syntax::Identifier &name : names)
    made.names.push_back(name.text);
  return made;
}

Affine constant(long value, Span span) {
  const std::string text = std::to_string(value);
  return {text, text, text, span};
}

Affine plus(const Affine &a, long k) {
  if (k == 0)
    return a;
  const std::string tail = k > 0 ? fmt::format(" + {}", k) : fmt::format(" - {}", -k);
  return {"(" + a.isl + tail + ")", "(" + a.cxx + tail + ")", a.written + tail, a.span, a.names};
}

void collectNames(const syntax::Expr &e, std::vector<syntax::Identifier> &out) {
  if (e.kind == Kind::Name)
    out.push_back({e.text, e.span});
  for (const auto &operand : e.operands)
    collectNames(*operand, out);
}

} // namespace pbc::sema
