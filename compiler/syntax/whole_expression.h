// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads C++ as an expression of the outer language, where it is one that computes with whole numbers alone.
//
//   (n - 3) / 2     =>  Divide(Subtract(n, 3), 2)
//   n / 2.0, f(n)   =>  nothing
//
// It accepts names, whole numbers, + - * / and parentheses. Names are not looked up here. Places are those of the text.
#pragma once
#include "compiler/syntax/ast.h"

namespace pbc::syntax {

/// Null if the text is anything else, or is nested more than 100 deep.
ExprPtr wholeExpression(const MappedText &);

} // namespace pbc::syntax
