// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/expressions.h"
#include "compiler/kernel/textual/types.h"
#include "compiler/poly/names.h"
#include "runtime/base/closest.h"
#include <algorithm>
#include <cctype>
#include <isl/map.h>

namespace pbc::kernel::textual {
namespace {

using Kind = Expr::Kind;

constexpr int kDeepest = 200;

struct Operator {
  std::string_view text;
  int precedence;
};
// Longer ones first, so that `<=` is not read as `<`.
constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                                   {"<<", 8}, {">>", 8}, {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                   {"*", 10}, {"/", 10}, {"%", 10}, {"|", 3},  {"^", 4},  {"&", 5}};

/// Counts how deep expressions are inside of each other.
struct Deeper {
  int &depth;
  Deeper(int &d, Reader &r) : depth(d) {
    if (++depth > kDeepest)
      r.fail(r.here(),
             "expressions are inside of each other more than " + std::to_string(kDeepest) + " times");
  }
  Deeper(const Deeper &) = delete;
  Deeper &operator=(const Deeper &) = delete;
  ~Deeper() { --depth; }
};

} // namespace

ExprPtr ExpressionReader::typed(Expr e) const {
  e.type = usualType(kernel_, s_, e);
  return std::make_shared<const Expr>(std::move(e));
}

ExprPtr ExpressionReader::expression() {
  const Deeper deeper(depth_, r_);
  ExprPtr condition = binary(1);
  if (!r_.accept("?"))
    return condition;
  ExprPtr yes = expression();
  r_.expect(":", "`:` and the value if the condition is false");
  ExprPtr no = expression();
  return typed({.kind = Kind::Select, .text = "", .operands = {condition, yes, no}});
}

ExprPtr ExpressionReader::binary(int weakest) {
  ExprPtr left = unary();
  for (int length = 0;; ++length) {
    const auto *op = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const Operator &o) { return r_.startsWith(o.text); });
    if (op == std::end(kOperators) || op->precedence < weakest)
      return left;
    if (length > 1'000)
      r_.fail(r_.here(), "the expression is too long");
    r_.accept(op->text);
    const Deeper deeper(depth_, r_);
    ExprPtr right = binary(op->precedence + 1);
    left = typed({.kind = Kind::Binary, .text = std::string(op->text), .operands = {left, right}});
  }
}

ExprPtr ExpressionReader::unary() {
  for (const char *op : {"-", "!", "~"})
    if (r_.accept(op)) {
      const Deeper deeper(depth_, r_);
      ExprPtr of = unary();
      return typed({.kind = Kind::Unary, .text = op, .operands = {of}});
    }
  return primary();
}

ExprPtr ExpressionReader::primary() {
  if (r_.accept("("))
    return inParentheses();
  if (r_.startsWith("{"))
    return read();
  if (r_.accept("`"))
    return typed({.kind = Kind::Name, .text = r_.before("`", "a name and another `").text, .operands = {}});
  const std::uint32_t begin = r_.position();
  const char first = r_.atEnd() ? ' ' : r_.text()[begin];
  if (std::isdigit(static_cast<unsigned char>(first)) || first == '.')
    return typed({.kind = Kind::Literal, .text = r_.number(), .operands = {}});
  return r_.startsWithElement() ? read() : named();
}

ExprPtr ExpressionReader::inParentheses() {
  const Deeper deeper(depth_, r_);
  ExprPtr inner = expression();
  if (r_.accept(":")) {
    Expr own = *inner;
    own.type = type();
    inner = std::make_shared<const Expr>(std::move(own));
  }
  r_.expect(")", "");
  return inner;
}

Scalar ExpressionReader::type() {
  const std::uint32_t begin = r_.position();
  const std::optional<Scalar> found = typeNamed(r_.word("a type"));
  if (!found)
    r_.fail(r_.since(begin), "expected a type: double, float, int, long, byte or bool");
  return *found;
}

ExprPtr ExpressionReader::read() {
  const int access = element(false);
  return typed({.kind = Kind::Read, .text = "", .index = access, .operands = {}});
}

int ExpressionReader::element(bool isWrite) {
  const std::uint32_t begin = r_.position();
  const auto number = static_cast<int>(s_.accesses.size());
  if (r_.startsWith("{")) {
    const isl::map relation = fragments_.relation(r_.bracketed("a relation"), s_);
    const int b = bufferNamed(isl_map_get_tuple_name(relation.get(), isl_dim_out), r_.since(begin));
    if (isl_map_dim(relation.get(), isl_dim_out) != kernel_.buffers[static_cast<std::size_t>(b)].rank)
      r_.fail(r_.since(begin), "this buffer has " +
                                   std::to_string(kernel_.buffers[static_cast<std::size_t>(b)].rank) +
                                   " dimensions");
    s_.accesses.push_back({b, isWrite, relation});
    return number;
  }
  const std::string name = r_.word("a buffer's name");
  const int b = bufferNamed(name, r_.since(begin));
  r_.expect("[", "`[` and the indices of an element of " + name);
  const Fragment inside =
      r_.startsWith("]") ? Fragment{"", r_.here()} : r_.raw("]", "the indices of an element");
  r_.expect("]", "");
  s_.accesses.push_back(
      {b, isWrite, fragments_.element(inside, s_, kernel_.buffers[static_cast<std::size_t>(b)])});
  return number;
}

ExprPtr ExpressionReader::named() {
  const std::uint32_t begin = r_.position();
  std::string name = r_.word("an expression");
  while (r_.accept("::")) // "pb::floordiv"
    name += "::" + r_.word("a name");
  if (r_.accept("(")) {
    std::vector<ExprPtr> operands;
    while (!r_.startsWith(")")) {
      operands.push_back(expression());
      if (!r_.accept(","))
        break;
    }
    r_.expect(")", "`,` or `)`");
    const std::optional<Scalar> type = typeNamed(name);
    if (type && operands.size() != 1)
      r_.fail(r_.since(begin), "a conversion to " + name + " has one operand");
    if (type)
      return std::make_shared<const Expr>(
          Expr{.kind = Kind::Cast, .type = *type, .text = "", .operands = operands});
    return typed({.kind = Kind::Call, .text = name, .operands = operands});
  }
  if (name == "true" || name == "false")
    return typed({.kind = Kind::Literal, .text = name, .operands = {}});
  const auto at = std::find(s_.dimensions.begin(), s_.dimensions.end(), name);
  if (at != s_.dimensions.end())
    return typed({.kind = Kind::Dimension,
                  .text = "",
                  .index = static_cast<int>(at - s_.dimensions.begin()),
                  .operands = {}});
  if (std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                  [&](const Buffer &b) { return b.name == name; }))
    r_.fail(r_.since(begin), "an element of " + name + " has indices: `" + name + "[...]`");
  return typed({.kind = Kind::Name, .text = name, .operands = {}});
}

int ExpressionReader::bufferNamed(const std::string &name, source::Span where) const {
  std::vector<std::string> known;
  for (const Buffer &b : kernel_.buffers) {
    if (b.name == name)
      return static_cast<int>(known.size());
    known.push_back(b.name);
  }
  const std::string nearest = pb::base::closest(name, known);
  r_.fail(where,
          "there is no buffer `" + name + "`" + (nearest.empty() ? "" : " (did you mean `" + nearest + "`?)"),
          "each buffer has a line of its own in front of the statements, such as `buffer " + name +
              " double 2-d input`");
}

} // namespace pbc::kernel::textual
