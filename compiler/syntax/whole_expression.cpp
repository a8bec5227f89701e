// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/syntax/whole_expression.h"
#include "compiler/syntax/cxx_scan.h"
#include <algorithm>

namespace pbc::syntax {

namespace {

constexpr int kDeepest = 100;

class WholeExpressionReader {
public:
  explicit WholeExpressionReader(const MappedText &text) : text_(text) { take(0); }

  ExprPtr run() {
    ExprPtr all = sum();
    return next_.kind == Lexeme::Kind::End ? all : nullptr;
  }

private:
  void take(std::uint32_t at) { next_ = scanPastBlanks(text_.text, at); }
  bool is(char c) const { return next_.is(text_.text, c); }

  ExprPtr node(Expr::Kind kind, std::uint32_t begin, std::string text, std::vector<ExprPtr> operands) {
    return std::make_shared<Expr>(
        Expr{kind, text_.locate(begin, done_), std::move(text), std::move(operands)});
  }

  ExprPtr sum() {
    const std::uint32_t begin = next_.begin;
    ExprPtr left = product();
    while (left && (is('+') || is('-'))) {
      const auto kind = is('+') ? Expr::Kind::Add : Expr::Kind::Subtract;
      take(next_.end);
      ExprPtr right = product();
      left = right ? node(kind, begin, "", {left, right}) : nullptr;
    }
    return left;
  }

  ExprPtr product() {
    const std::uint32_t begin = next_.begin;
    ExprPtr left = factor();
    while (left && (is('*') || is('/'))) {
      const auto kind = is('*') ? Expr::Kind::Multiply : Expr::Kind::Divide;
      take(next_.end);
      ExprPtr right = factor();
      left = right ? node(kind, begin, "", {left, right}) : nullptr;
    }
    return left;
  }

  ExprPtr factor() {
    if (++depth_ > kDeepest)
      return nullptr;
    ExprPtr made = factorOfOneMore();
    --depth_;
    return made;
  }

  ExprPtr factorOfOneMore() {
    const Lexeme first = next_;
    if (is('-')) {
      take(first.end);
      ExprPtr operand = factor();
      return operand ? node(Expr::Kind::Negate, first.begin, "", {operand}) : nullptr;
    }
    if (is('(')) {
      take(first.end);
      ExprPtr inner = sum();
      if (!inner || !is(')'))
        return nullptr;
      done_ = next_.end;
      take(done_);
      return inner;
    }
    const std::string text(first.text(text_.text));
    const bool isName = first.kind == Lexeme::Kind::Identifier;
    if (!isName && (first.kind != Lexeme::Kind::Number || !std::all_of(text.begin(), text.end(), isDigit)))
      return nullptr;
    done_ = first.end;
    take(done_);
    return node(isName ? Expr::Kind::Name : Expr::Kind::Integer, first.begin, text, {});
  }

  const MappedText &text_;
  Lexeme next_;
  std::uint32_t done_ = 0; // the end of what was read last
  int depth_ = 0;
};

} // namespace

ExprPtr wholeExpression(const MappedText &text) { return WholeExpressionReader(text).run(); }

} // namespace pbc::syntax
