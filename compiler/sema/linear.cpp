// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/sema/linear.h"
#include "compiler/sema/affine.h"
#include "compiler/sema/cxx_expression.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <fmt/format.h>

namespace pbc::sema {

using Kind = syntax::Expr::Kind;

namespace {

constexpr long kLargestNumber = 1L << 31;

Linear atom(const syntax::Expr &e) {
  Linear out;
  out.terms[syntax::print(e)] = {std::make_shared<syntax::Expr>(e), 1};
  return out;
}

bool isSmall(const Linear &l) {
  const auto fits = [](long v) { return v <= kLargestNumber && v >= -kLargestNumber; };
  return fits(l.constant) &&
         std::all_of(l.terms.begin(), l.terms.end(), [&](const auto &t) { return fits(t.second.factor); });
}

std::optional<Linear> bounded(Linear l) { return isSmall(l) ? std::optional(std::move(l)) : std::nullopt; }

bool isOfSizes(const Linear &l, const std::set<std::string> &sizes) {
  return l.constant >= 0 && std::all_of(l.terms.begin(), l.terms.end(), [&](const auto &t) {
           return t.second.factor > 0 && t.second.atom->kind == Kind::Name && sizes.contains(t.first);
         });
}

} // namespace

Linear Linear::plus(const Linear &other, long factor) const {
  Linear out = *this;
  out.constant += factor * other.constant;
  for (const auto &[name, term] : other.terms) {
    Term &sum = out.terms.try_emplace(name, Term{term.atom, 0}).first->second;
    sum.factor += factor * term.factor;
    if (sum.factor == 0)
      out.terms.erase(name);
  }
  return out;
}

Linear Linear::plus(long value) const {
  Linear out = *this;
  out.constant += value;
  return out;
}

long Linear::factor(const std::string &name) const {
  const auto at = terms.find(name);
  return at == terms.end() ? 0 : at->second.factor;
}

std::set<std::string> Linear::names() const {
  std::vector<syntax::Identifier> all;
  for (const auto &[name, term] : terms)
    collectNames(*term.atom, all);
  std::set<std::string> out;
  for (const auto &name : all)
    out.insert(name.text);
  return out;
}

Linear Linear::without(const std::string &name) const {
  Linear out = *this;
  out.terms.erase(name);
  return out;
}

bool Linear::operator==(const Linear &other) const {
  const Linear difference = plus(other, -1);
  return difference.terms.empty() && difference.constant == 0;
}

std::optional<Linear> linear(const syntax::Expr &e) {
  const auto operand = [&](std::size_t k) { return linear(*e.operands[k]); };
  switch (e.kind) {
  case Kind::Float:
    return std::nullopt;
  case Kind::Integer: {
    Linear out;
    const auto value = constantValue(e);
    out.constant = value.value_or(kLargestNumber + 1);
    return bounded(out);
  }
  case Kind::Negate: {
    const auto inner = operand(0);
    return inner ? std::optional(Linear().plus(*inner, -1)) : std::nullopt;
  }
  case Kind::Add:
  case Kind::Subtract: {
    const auto left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    return bounded(left->plus(*right, e.kind == Kind::Add ? 1 : -1));
  }
  case Kind::Multiply: {
    const auto left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    if (left->terms.empty())
      return bounded(Linear().plus(*right, left->constant));
    if (right->terms.empty())
      return bounded(Linear().plus(*left, right->constant));
    return atom(e);
  }
  default:
    return atom(e);
  }
}

syntax::ExprPtr expressionOf(const Linear &l, source::Span span) {
  const auto node = [&](Kind kind, std::string text, std::vector<syntax::ExprPtr> operands) {
    return std::make_shared<syntax::Expr>(syntax::Expr{kind, span, std::move(text), std::move(operands)});
  };
  const auto number = [&](long value) { return node(Kind::Integer, std::to_string(value), {}); };
  syntax::ExprPtr sum = number(0);
  bool isEmpty = true;
  const auto add = [&](const syntax::ExprPtr &e, bool isNegative) {
    if (isEmpty && !isNegative)
      sum = e;
    else
      sum = node(isNegative ? Kind::Subtract : Kind::Add, "", {sum, e});
    isEmpty = false;
  };
  for (const bool negative : {false, true}) {
    for (const auto &[name, term] : l.terms)
      if ((term.factor < 0) == negative) {
        const long size = std::abs(term.factor);
        add(size == 1 ? term.atom : node(Kind::Multiply, "", {number(size), term.atom}), negative);
      }
    if (l.constant != 0 && (l.constant < 0) == negative)
      add(number(std::abs(l.constant)), negative);
  }
  return sum;
}

std::string cxxOf(const Linear &l, const std::set<std::string> &sizes, long divisor) {
  std::string out;
  const auto add = [&](const std::string &text, long factor) {
    out += out.empty() ? (factor < 0 ? "-" : "") : factor < 0 ? " - " : " + ";
    out += text;
  };
  const auto terms = [&](bool positive) {
    for (const auto &[name, term] : l.terms)
      if ((term.factor > 0) == positive) {
        const long size = std::abs(term.factor);
        const std::string text = cxxOf(*term.atom, sizes);
        add(size == 1 ? text : fmt::format("{} * {}", size, text), term.factor);
      }
  };
  terms(true);
  const bool beginsWithNumber = out.empty();
  const auto number = [&] {
    if (l.constant != 0)
      add(std::to_string(std::abs(l.constant)), l.constant);
  };
  if (beginsWithNumber)
    number();
  terms(false);
  if (!beginsWithNumber)
    number();
  if (out.empty())
    out = "0";
  if (divisor == 1)
    return out;
  if (l.terms.empty()) {
    const long rest = l.constant % divisor;
    return std::to_string(l.constant / divisor - (rest < 0));
  }
  return cxxQuotient("(" + out + ")", std::to_string(divisor), isOfSizes(l, sizes));
}

std::string cxxNotNegative(const Linear &l, const std::set<std::string> &sizes) {
  Linear left, right;
  for (const auto &[name, term] : l.terms)
    (term.factor > 0 ? left : right).terms[name] = {term.atom, std::abs(term.factor)};
  const bool isStrict = l.constant == -1 && !l.terms.empty();
  if (!isStrict)
    (l.constant > 0 ? left : right).constant = std::abs(l.constant);
  return fmt::format("{} {} {}", cxxOf(right, sizes), isStrict ? "<" : "<=", cxxOf(left, sizes));
}

} // namespace pbc::sema
