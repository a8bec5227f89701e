// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/condition.h"
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace pbc::syntax {

namespace {

using Value = std::int64_t;
using Bits = std::uint64_t;

struct Wrong {};

class Evaluator {
public:
  Evaluator(const std::vector<MacroToken> &tokens, Span directive, source::Diagnostics &diagnostics)
      : tokens_(tokens), directive_(directive), diagnostics_(diagnostics) {}

  Value whole() {
    if (tokens_.empty())
      fail(directive_, "a condition is missing after this directive");
    Value value = choice();
    if (at_ < tokens_.size())
      fail(tokens_[at_].origin, "`" + tokens_[at_].text + "` does not fit into this condition");
    return value;
  }

private:
  [[noreturn]] void fail(Span where, const std::string &what) {
    diagnostics_.error(where, what)
        .help("a condition is made of integers, macros, defined(NAME) and C's operators");
    throw Wrong();
  }

  /// Takes an operator of one or two characters if it comes next.
  bool take(std::string_view op) {
    for (std::size_t i = 0; i < op.size(); ++i)
      if (at_ + i >= tokens_.size() || tokens_[at_ + i].text != std::string_view(&op[i], 1))
        return false;
    // `<` is not the beginning of `<<` or `<=`; `!` not of `!=`; `&` not of `&&`.
    if (op.size() == 1 && at_ + 1 < tokens_.size()) {
      const std::string &next = tokens_[at_ + 1].text;
      bool adjacent = tokens_[at_ + 1].origin.begin == tokens_[at_].origin.end;
      bool doubled = (op == "<" || op == ">" || op == "&" || op == "|") && next == op;
      bool compared = (op == "<" || op == ">" || op == "!" || op == "=") && next == "=";
      if (adjacent && (doubled || compared))
        return false;
    }
    at_ += op.size();
    return true;
  }

  Value choice() {
    Deeper deeper(*this);
    Value condition = binary(0);
    if (!take("?"))
      return condition;
    Value yes = where(condition != 0, [&] { return choice(); });
    if (!take(":"))
      fail(here(), "`:` is missing after `?`");
    Value no = where(condition == 0, [&] { return choice(); });
    return condition ? yes : no;
  }

  Value binary(unsigned level) {
    static const std::vector<std::vector<std::string_view>> levels = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == levels.size())
      return unary();
    Value left = binary(level + 1);
    for (bool again = true; again;) {
      again = false;
      for (std::string_view op : levels[level])
        if (take(op)) {
          Span place = tokens_[at_ - 1].origin;
          const bool isDecided = (op == "||" && left) || (op == "&&" && !left);
          Value right = where(!isDecided, [&] { return binary(level + 1); });
          left = apply(op, left, right, place);
          again = true;
          break;
        }
    }
    return left;
  }

  /// Parses an operand. As in C, no result in it is an error if its value is not used, as in `0 && 1 / 0`.
  template <class Parse>
  Value where(bool isUsed, const Parse &parse) {
    const bool before = isUsed_;
    isUsed_ = isUsed_ && isUsed;
    const Value value = parse();
    isUsed_ = before;
    return value;
  }

  Value tooLarge(std::string_view op, Span place) {
    if (!isUsed_)
      return 0;
    diagnostics_.error(place, "the result of `" + std::string(op) + "` is too large for a condition")
        .help("conditions compute with integers of 64 bits, from -9223372036854775808 to "
              "9223372036854775807");
    throw Wrong();
  }

  Value shift(std::string_view op, Value a, Value b, Span place) {
    if (b < 0 || b > 63) {
      if (isUsed_)
        fail(place, "a shift by " + std::to_string(b) + " in a condition: it must be by 0 to 63 bits");
      return 0;
    }
    if (op == ">>")
      return a >> b;
    const auto shifted = static_cast<Value>(static_cast<Bits>(a) << b);
    return shifted >> b == a ? shifted : tooLarge(op, place);
  }

  Value apply(std::string_view op, Value a, Value b, Span place) {
    if (op == "||")
      return a || b;
    if (op == "&&")
      return a && b;
    if (op == "|")
      return a | b;
    if (op == "^")
      return a ^ b;
    if (op == "&")
      return a & b;
    if (op == "==")
      return a == b;
    if (op == "!=")
      return a != b;
    if (op == "<=")
      return a <= b;
    if (op == ">=")
      return a >= b;
    if (op == "<")
      return a < b;
    if (op == ">")
      return a > b;
    if (op == "<<" || op == ">>")
      return shift(op, a, b, place);
    Value result = 0;
    if (op == "+")
      return __builtin_add_overflow(a, b, &result) ? tooLarge(op, place) : result;
    if (op == "-")
      return __builtin_sub_overflow(a, b, &result) ? tooLarge(op, place) : result;
    if (op == "*")
      return __builtin_mul_overflow(a, b, &result) ? tooLarge(op, place) : result;
    if (b == 0) {
      if (isUsed_)
        fail(place, "division by zero in a condition");
      return 0;
    }
    if (b == -1) // the smallest integer has no quotient by -1
      return op == "%" ? 0 : __builtin_sub_overflow(Value(0), a, &result) ? tooLarge(op, place) : result;
    return op == "/" ? a / b : a % b;
  }

  Value unary() {
    Deeper deeper(*this);
    if (take("!"))
      return !unary();
    if (take("-")) {
      const Span place = tokens_[at_ - 1].origin;
      Value negated = 0;
      return __builtin_sub_overflow(Value(0), unary(), &negated) ? tooLarge("-", place) : negated;
    }
    if (take("+"))
      return unary();
    if (take("~"))
      return ~unary();
    if (take("(")) {
      Value value = choice();
      if (!take(")"))
        fail(here(), "`)` is missing in this condition");
      return value;
    }
    if (at_ >= tokens_.size())
      fail(here(), "this condition ends where a value should stand");
    const MacroToken &token = tokens_[at_++];
    if (token.kind == Lexeme::Kind::Identifier)
      return 0;
    if (token.kind != Lexeme::Kind::Number)
      fail(token.origin, "`" + token.text + "` is not an integer");
    return number(token);
  }

  Value number(const MacroToken &token) {
    char *end = nullptr;
    errno = 0;
    const Value value = std::strtoll(token.text.c_str(), &end, 0);
    const bool isTooLarge = errno == ERANGE;
    while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L')
      ++end;
    if (*end != '\0')
      fail(token.origin, "`" + token.text + "` is not an integer");
    if (isTooLarge) {
      diagnostics_.error(token.origin, "`" + token.text + "` is too large for a condition")
          .help("conditions compute with integers of 64 bits, up to 9223372036854775807");
      throw Wrong();
    }
    return value;
  }

  Span here() const { return at_ < tokens_.size() ? tokens_[at_].origin : directive_; }

  struct Deeper {
    explicit Deeper(Evaluator &e) : evaluator(e) {
      if (++evaluator.depth_ > 200)
        evaluator.fail(evaluator.here(), "this condition is nested more than 200 deep");
    }
    ~Deeper() { --evaluator.depth_; }
    Evaluator &evaluator;
  };

  const std::vector<MacroToken> &tokens_;
  Span directive_;
  source::Diagnostics &diagnostics_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  bool isUsed_ = true; // whether the value of what is parsed decides the condition
};

} // namespace

bool holds(const std::vector<MacroToken> &tokens, Span directive, source::Diagnostics &diagnostics) {
  try {
    return Evaluator(tokens, directive, diagnostics).whole() != 0;
  } catch (Wrong &) {
    return false;
  }
}

} // namespace pbc::syntax
