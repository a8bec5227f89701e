// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Counts the tokens and the open parentheses of the expression at hand, so that none is so long or so deep that a recursive parser
// exhausts its stack.
//
//   a + (b * c)   => 7 tokens, one parenthesis deep
//
// An expression ends at a comma, a semicolon, a comparison or a word such as `and`, and where two operands follow each other.
#pragma once
#include "compiler/source/diagnostics.h"
#include <cstddef>

namespace pbc::syntax {

constexpr unsigned longestExpression = 600; // tokens
constexpr unsigned deepestNesting = 100;    // depth of parentheses and brackets

class ExpressionLimit {
public:
  /// What comes next is outside of all parentheses.
  void restart() { *this = {}; }
  /// Counts a token that comes behind a token of the type `last`; whether it is within the limits.
  bool take(std::size_t type, std::size_t last);
  /// Says which limit the expression exceeds, once for each expression.
  void report(const source::Span &, source::Diagnostics &);
  bool isNested() const { return nesting_ > 0; }

private:
  bool isTooDeep() const { return nesting_ > deepestNesting; }

  unsigned nesting_ = 0, length_ = 0;
  bool isReported_ = false;
};

} // namespace pbc::syntax
