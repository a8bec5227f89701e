// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether an expression means the same in C as in C++17, which specifies more about the order of evaluation.
//
//   a[n++] = v           => yes: v does not depend on n
//   x = x++ + 1          => no: C++ says which of the two changes comes last, C does not
//   f(n) + g(n = 2)      => no: even C++ leaves the order open
//
// Only files that show Clang's types include this header. Source: C11 6.5, C++17 [intro.execution].
#pragma once
#include <clang/AST/Expr.h>

namespace pbc::body {

/// The part of the expression whose order is unspecified; null if there is none.
const clang::Expr *unsequencedPart(const clang::Expr *);
/// Whether the expression has no side effects, so that it may be evaluated any number of times.
bool writesNothing(const clang::Expr *);
/// The variable that an lvalue is a part of; null if the lvalue is reached through a pointer or a view.
const clang::ValueDecl *rootVariable(const clang::Expr *);

} // namespace pbc::body
