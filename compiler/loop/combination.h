// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Associative operations that fold values into one, as expressions.
//
//   { Add, F64 }        neutral: 0.0         combined(a, b): (double)(a + b)
//   { Minimum, F32 }    neutral: INFINITY    combined(a, b): b < a ? b : a
//
// The operands of a combination are used twice by some operations, so they are names or elements of arrays.
#pragma once
#include "compiler/loop/expression.h"

namespace pbc::loop {

struct Combination {
  enum class Op { Add, Multiply, BitAnd, BitOr, BitXor, And, Or, Minimum, Maximum };
  Op op;
  Scalar element;
};

/// The value that changes no other one.
Expr neutral(const Combination &);
Expr combined(const Combination &, const Expr &a, const Expr &b);

} // namespace pbc::loop
