// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/associative.h"
#include <algorithm>
#include <isl/map.h>

namespace pbc::kernel {
namespace {

bool isWhole(Scalar s) { return s != Scalar::F64 && s != Scalar::F32; }

int bits(Scalar s) {
  switch (s) {
  case Scalar::F64:
  case Scalar::I64:
    return 64;
  case Scalar::F32:
  case Scalar::I32:
    return 32;
  case Scalar::U8:
    return 8;
  case Scalar::Bool:
    return 1;
  }
  return 0;
}

/// Whether every value of `from` is a value of `to`.
bool holds(Scalar to, Scalar from) {
  return to == from || (isWhole(to) == isWhole(from) && bits(to) > bits(from));
}

/// An expression that is not a fold of the accumulator, and the accumulator itself.
const std::string kNone = "none", kItself = "itself";

class Matcher {
public:
  Matcher(const Kernel &kernel, const Statement &s, const std::set<int> &accumulator)
      : statement_(s), accumulator_(accumulator),
        element_(
            kernel.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(s.write)].buffer)]
                .element) {}

  /// Returns "+", ..; kItself or kNone.
  std::string match() const {
    const Expr &value = *statement_.value;
    if (statement_.op.empty())
      return fold(value);
    if (mentions(value) || element_ == Scalar::Bool || (isWhole(element_) && !isWhole(value.type)))
      return kNone;
    return joined(kItself, statement_.op == "-" ? "+" : statement_.op == "/" ? kNone : statement_.op);
  }

  Scalar element() const { return element_; }

private:
  bool isAccumulator(const Expr &e) const {
    return e.kind == Expr::Kind::Read && accumulator_.count(e.index) > 0;
  }
  bool mentions(const Expr &e) const {
    return isAccumulator(e) ||
           std::any_of(e.operands.begin(), e.operands.end(), [&](const ExprPtr &o) { return mentions(*o); });
  }

  /// Whether the element's values, and sums of them modulo its size, pass through this type unchanged.
  bool isWide(Scalar type) const {
    if (!isWhole(element_))
      return !isWhole(type);
    return element_ == Scalar::Bool ? isWhole(type)
                                    : isWhole(type) && type != Scalar::Bool && bits(type) >= bits(element_);
  }

  /// The expression without conversions that keep every value.
  static const Expr &plain(const Expr &e) {
    const Expr *inner = &e;
    while (inner->kind == Expr::Kind::Cast && holds(inner->type, inner->operands[0]->type))
      inner = inner->operands[0].get();
    return *inner;
  }

  /// Whether it is a number that the element can hold.
  bool isElement(const Expr &e) const {
    const Expr &p = plain(e);
    const bool isTruth = p.kind == Expr::Kind::Literal &&
                         (p.text == "0" || p.text == "1" || p.text == "true" || p.text == "false");
    return holds(element_, p.type) || (element_ == Scalar::Bool && isTruth) ||
           (p.kind == Expr::Kind::Binary && p.type == Scalar::I32 &&
            (p.text == "&" || p.text == "|" || p.text == "^") && isElement(*p.operands[0]) &&
            isElement(*p.operands[1]));
  }

  static std::string joined(const std::string &inner, const std::string &symbol) {
    return inner == kItself || inner == symbol ? symbol : kNone;
  }

  /// One step of a fold: the accumulator is in `with`, the value folded into it is `other`.
  std::string step(const std::string &symbol, const Expr &with, const Expr &other) const {
    if (mentions(other))
      return kNone;
    const std::string inner = fold(with);
    if (inner == kNone)
      return kNone;
    const bool isArithmetic = symbol == "+" || symbol == "*";
    if (element_ == Scalar::Bool ? isArithmetic || !isElement(other)
                                 : isArithmetic && isWhole(element_) && !isWhole(plain(other).type))
      return kNone;
    return joined(inner, symbol);
  }

  std::string binary(const Expr &e) const {
    const Expr &x = *e.operands[0], &y = *e.operands[1];
    const bool isTruth = e.text == "&&" || e.text == "||";
    if (isTruth ? element_ != Scalar::Bool : !isWide(e.type))
      return kNone;
    if (e.text == "-")
      return mentions(x) ? step("+", x, y) : kNone;
    if (e.text != "+" && e.text != "*" && e.text != "&" && e.text != "|" && e.text != "^" && !isTruth)
      return kNone;
    return mentions(x) ? step(e.text, x, y) : step(e.text, y, x);
  }

  bool same(const Expr &a, const Expr &b) const {
    if (a.kind != b.kind || a.type != b.type || a.text != b.text || a.operands.size() != b.operands.size())
      return false;
    if (a.kind == Expr::Kind::Read) {
      const Access &x = statement_.accesses[static_cast<std::size_t>(a.index)],
                   &y = statement_.accesses[static_cast<std::size_t>(b.index)];
      return x.buffer == y.buffer && x.relation.is_equal(y.relation);
    }
    if (a.kind == Expr::Kind::Dimension && a.index != b.index)
      return false;
    return std::equal(a.operands.begin(), a.operands.end(), b.operands.begin(),
                      [&](const ExprPtr &x, const ExprPtr &y) { return same(*x, *y); });
  }
  bool samePlain(const Expr &a, const Expr &b) const { return same(plain(a), plain(b)); }

  /// Matches p < q ? q : p and similar forms.
  std::string extreme(const Expr &e) const {
    const Expr &condition = plain(*e.operands[0]);
    if (condition.kind != Expr::Kind::Binary)
      return kNone;
    const bool isLess = condition.text == "<" || condition.text == "<=",
               isGreater = condition.text == ">" || condition.text == ">=";
    if (!isLess && !isGreater)
      return kNone;
    const Expr &p = *condition.operands[0], &q = *condition.operands[1];
    const Expr &yes = *e.operands[1], &no = *e.operands[2];
    const bool first = samePlain(yes, p) && samePlain(no, q), second = samePlain(yes, q) && samePlain(no, p);
    if (first == second)
      return kNone;
    return element(first == isLess ? "min" : "max", p, q);
  }

  /// A fold of the accumulator and a number of its type.
  std::string element(const std::string &symbol, const Expr &p, const Expr &q) const {
    const bool isP = isAccumulator(plain(p)), isQ = isAccumulator(plain(q));
    if (isP == isQ)
      return kNone;
    const Expr &other = isP ? q : p;
    return !mentions(other) && holds(element_, plain(other).type) ? symbol : kNone;
  }

  std::string fold(const Expr &e) const {
    if (isAccumulator(e))
      return kItself;
    switch (e.kind) {
    case Expr::Kind::Cast:
      return isWide(e.type) || e.type == element_ ? fold(*e.operands[0]) : kNone;
    case Expr::Kind::Binary:
      return binary(e);
    case Expr::Kind::Call:
      if (e.text.starts_with("fmin") || e.text.starts_with("fmax"))
        return element(e.text.starts_with("fmin") ? "min" : "max", *e.operands[0], *e.operands[1]);
      return kNone;
    case Expr::Kind::Select: {
      if (mentions(*e.operands[0]))
        return extreme(e);
      const std::string yes = fold(*e.operands[1]), no = fold(*e.operands[2]);
      return yes == kNone || no == kNone ? kNone : yes == kItself ? no : joined(no, yes);
    }
    default:
      return kNone;
    }
  }

  const Statement &statement_;
  const std::set<int> &accumulator_;
  Scalar element_;
};

} // namespace

Folding foldingOf(const Kernel &kernel, const Statement &s, const std::set<int> &accumulator) {
  if (s.isOpaque)
    return {};
  const Matcher matcher(kernel, s, accumulator);
  const std::string symbol = matcher.match();
  if (symbol == kNone || symbol == kItself)
    return {};
  if (!isWhole(matcher.element()) && !kernel.reassociates)
    return {std::nullopt, true};
  return {Operation{symbol, matcher.element()}, false};
}

} // namespace pbc::kernel
