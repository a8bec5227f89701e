// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/associative.h"
#include "compiler/body/value.h"
#include <algorithm>
#include <isl/map.h>

namespace pbc::kernel {
namespace {

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
  return to == from || (body::isInteger(to) == body::isInteger(from) && bits(to) > bits(from));
}

/// An expression that is not a fold of the accumulator, and the accumulator itself.
const std::string kNone = "none", kItself = "itself";

class Matcher {
public:
  Matcher(const Kernel &kernel, const Statement &s, const std::set<int> &accumulator)
      : statement_(s), accumulator_(accumulator), reassociates_(kernel.reassociates),
        element_(
            kernel.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(s.write)].buffer)]
                .element) {}

  /// Returns "+", ..; kItself or kNone.
  std::string match() const {
    const Expr &value = *statement_.value;
    if (statement_.op.empty())
      return fold(value);
    if (mentions(value) || element_ == Scalar::Bool ||
        (body::isInteger(element_) && !body::isInteger(value.type)))
      return kNone;
    return joined(kItself, statement_.op == "-" ? "+" : statement_.op == "/" ? kNone : statement_.op);
  }

  Scalar element() const { return element_; }

  /// As in Joining; kNone if the order of the terms matters. `symbol` is what match() has returned.
  std::string joining(const std::string &symbol) const {
    const bool isFree = body::isInteger(element_) || reassociates_;
    if (symbol != "min" && symbol != "max")
      return isFree ? symbol : kNone;
    return isFree ? symbol == "min" ? "<" : ">" : extremeThatIgnoresNan(*statement_.value);
  }

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
    if (!body::isInteger(element_))
      return !body::isInteger(type);
    return element_ == Scalar::Bool
               ? body::isInteger(type)
               : body::isInteger(type) && type != Scalar::Bool && bits(type) >= bits(element_);
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
    if (element_ == Scalar::Bool
            ? isArithmetic || !isElement(other)
            : isArithmetic && body::isInteger(element_) && !body::isInteger(plain(other).type))
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

  /// The comparison or the function by which a term that is a NaN leaves the accumulator as it is; kNone if there are others.
  std::string extremeThatIgnoresNan(const Expr &e) const {
    const Expr &p = plain(e);
    if (p.kind == Expr::Kind::Call)
      return p.text;
    if (p.kind != Expr::Kind::Select)
      return kNone;
    const Expr &condition = plain(*p.operands[0]), &yes = *p.operands[1], &no = *p.operands[2];
    if (mentions(condition))
      return isAccumulator(plain(no)) ? (fold(e) == "max" ? ">" : "<") + condition.text.substr(1) : kNone;
    if (isAccumulator(plain(no)))
      return extremeThatIgnoresNan(yes);
    return isAccumulator(plain(yes)) ? extremeThatIgnoresNan(no) : kNone;
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
  bool reassociates_;
  Scalar element_;
};

ExprPtr literal(Scalar type, const std::string &text) {
  return std::make_shared<const Expr>(Expr{Expr::Kind::Literal, type, text, -1, {}});
}

ExprPtr binary(const std::string &op, Scalar type, const ExprPtr &a, const ExprPtr &b) {
  return std::make_shared<const Expr>(Expr{Expr::Kind::Binary, type, op, -1, {a, b}});
}

/// A number as a literal of its type.
ExprPtr number(Scalar type, const std::string &digits) {
  const char *end = type == Scalar::F64 ? ".0" : type == Scalar::F32 ? ".0f" : "";
  return literal(type, digits + end);
}

/// A minus sign is an operator, never a part of a literal.
ExprPtr negative(Scalar type, const ExprPtr &e) {
  return std::make_shared<const Expr>(Expr{Expr::Kind::Unary, type, "-", -1, {e}});
}

ExprPtr constant(Scalar type, const std::string &function) {
  return std::make_shared<const Expr>(
      Expr{Expr::Kind::Call, type, function + (type == Scalar::F32 ? "f" : ""), -1, {}});
}

/// The largest value, or the least one.
ExprPtr outermost(Scalar type, bool isLargest) {
  const auto either = [&](const ExprPtr &largest, bool isOneLess) {
    const ExprPtr least = isLargest ? largest : negative(type, largest);
    return isLargest || !isOneLess ? least : binary("-", type, least, literal(type, "1"));
  };
  switch (type) {
  case Scalar::F64:
  case Scalar::F32:
    return either(constant(type, "__builtin_inf"), false);
  case Scalar::I64:
    return either(literal(type, "9223372036854775807"), true);
  case Scalar::I32:
    return either(literal(type, "2147483647"), true);
  case Scalar::U8:
    return literal(type, isLargest ? "255" : "0");
  case Scalar::Bool:
    return literal(type, isLargest ? "true" : "false");
  }
  return nullptr;
}

} // namespace

ExprPtr Joining::neutral() const {
  if (by.starts_with("f"))
    return constant(element, "pb::nan"); // which fmin and fmax leave out
  if (by.starts_with("<") || by.starts_with(">"))
    return outermost(element, by.starts_with("<"));
  if (by == "&&" || (by == "&" && element == Scalar::Bool))
    return literal(Scalar::Bool, "true");
  if (by == "&")
    return element == Scalar::U8 ? literal(element, "255") : negative(element, literal(element, "1"));
  if (element == Scalar::Bool)
    return literal(element, "false");
  return number(element, by == "*" ? "1" : "0");
}

ExprPtr Joining::joined(const ExprPtr &first, const ExprPtr &rest) const {
  if (by.starts_with("f"))
    return std::make_shared<const Expr>(Expr{Expr::Kind::Call, element, by, -1, {first, rest}});
  if (by.starts_with("<") || by.starts_with(">"))
    return std::make_shared<const Expr>(
        Expr{Expr::Kind::Select, element, "", -1, {binary(by, Scalar::Bool, rest, first), rest, first}});
  return binary(by, element, first, rest);
}

std::optional<Joining> joiningOf(const Kernel &kernel, const Statement &s, const std::set<int> &accumulator) {
  if (s.isOpaque)
    return std::nullopt;
  const Matcher matcher(kernel, s, accumulator);
  const std::string symbol = matcher.match();
  const std::string by = symbol == kNone || symbol == kItself ? kNone : matcher.joining(symbol);
  return by == kNone ? std::nullopt : std::optional(Joining{by, matcher.element()});
}

Folding foldingOf(const Kernel &kernel, const Statement &s, const std::set<int> &accumulator) {
  if (s.isOpaque)
    return {};
  const Matcher matcher(kernel, s, accumulator);
  const std::string symbol = matcher.match();
  if (symbol == kNone || symbol == kItself)
    return {};
  if (!body::isInteger(matcher.element()) && !kernel.reassociates)
    return {std::nullopt, true};
  return {Operation{symbol, matcher.element()}, false};
}

} // namespace pbc::kernel
