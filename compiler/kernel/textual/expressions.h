// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the expressions of statements, with C++'s precedence. Each element that is read becomes an access of the statement.
//
//   A[x, y] * 2.0 + max(k, 1)      (a : float)      c ? x : y      float(i)      A[x - 1 : x > 0]
#pragma once
#include "compiler/kernel/textual/fragments.h"

namespace pbc::kernel::textual {

class ExpressionReader {
public:
  ExpressionReader(Reader &reader, const Fragments &fragments, const Kernel &kernel, Statement &s)
      : r_(reader), fragments_(fragments), kernel_(kernel), s_(s) {}

  ExprPtr expression();
  /// An expression without operators outside of parentheses.
  ExprPtr operand() { return unary(); }
  /// "A[x, y]" or "{ S[x] -> A[x] : ...; ... }" as an access; its number.
  int element(bool isWrite);
  Scalar type();

private:
  ExprPtr binary(int weakest);
  ExprPtr unary();
  ExprPtr primary();
  ExprPtr inParentheses();
  ExprPtr read();
  /// A dimension, a name of a size or a tunable, a call, or a conversion.
  ExprPtr named();
  /// Gives it the type that its parts suggest.
  ExprPtr typed(Expr e) const;
  int bufferNamed(const std::string &, source::Span) const;

  Reader &r_;
  const Fragments &fragments_;
  const Kernel &kernel_;
  Statement &s_;
  int depth_ = 0;
};

} // namespace pbc::kernel::textual
