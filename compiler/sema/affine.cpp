#include "compiler/sema/affine.h"
#include "compiler/poly/names.h"
#include "compiler/syntax/parse.h"
#include <fmt/format.h>

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

std::optional<Texts> convert(const syntax::Expr &e, const NameCheck &known,
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
    auto a = convert(*e.operands[0], known, diagnostics);
    if (!a)
      return std::nullopt;
    return Texts{"(-" + a->isl + ")", "(-" + a->cxx + ")"};
  }
  case Kind::Add:
  case Kind::Subtract: {
    auto a = convert(*e.operands[0], known, diagnostics), b = convert(*e.operands[1], known, diagnostics);
    if (!a || !b)
      return std::nullopt;
    const char *op = e.kind == Kind::Add ? " + " : " - ";
    return Texts{"(" + a->isl + op + b->isl + ")", "(" + a->cxx + op + b->cxx + ")"};
  }
  case Kind::Multiply: {
    const auto left = constantValue(*e.operands[0]), right = constantValue(*e.operands[1]);
    if (!left && !right) {
      diagnostics
          .error(e.span, fmt::format("`{}` multiplies two variables: sizes and coordinates must be affine",
                                     syntax::print(e)))
          .help("one factor must be a number; give the product a name of its own as a further size");
      return std::nullopt;
    }
    auto a = convert(*e.operands[left ? 1 : 0], known, diagnostics);
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
    auto a = convert(*e.operands[0], known, diagnostics);
    if (!a)
      return std::nullopt;
    return Texts{fmt::format("floor({}/{})", a->isl, *divisor),
                 fmt::format("pb::floordiv({}, {})", a->cxx, *divisor)};
  }
  case Kind::Power:
    diagnostics
        .error(e.span, fmt::format("`{}` is not affine: `^` needs numbers on both sides", syntax::print(e)))
        .help("a power of a variable cannot be a size or a coordinate");
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

std::optional<Affine> affine(const syntax::Expr &e, const NameCheck &known,
                             source::Diagnostics &diagnostics) {
  auto texts = convert(e, known, diagnostics);
  if (!texts)
    return std::nullopt;
  return Affine{std::move(texts->isl), std::move(texts->cxx), syntax::print(e), e.span};
}

Affine constant(long value, Span span) {
  const std::string text = std::to_string(value);
  return {text, text, text, span};
}

Affine plus(const Affine &a, long k) {
  if (k == 0)
    return a;
  const std::string tail = k > 0 ? fmt::format(" + {}", k) : fmt::format(" - {}", -k);
  return {"(" + a.isl + tail + ")", "(" + a.cxx + tail + ")", a.written + tail, a.span};
}

void collectNames(const syntax::Expr &e, std::vector<syntax::Identifier> &out) {
  if (e.kind == Kind::Name)
    out.push_back({e.text, e.span});
  for (const auto &operand : e.operands)
    collectNames(*operand, out);
}

} // namespace pbc::sema
