// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expressions and conditions of headers as C++ for bodies, with whole numbers that round down.
//
//   n / 2             =>  (n / 2)                    n is a size, so it is not negative
//   x < n and x != y  =>  (x < n) && (x != y)
#pragma once
#include "compiler/syntax/ast.h"
#include <set>
#include <string>

namespace pbc::sema {

/// `sizes`: the names that are never negative.
std::string cxxOf(const syntax::Expr &, const std::set<std::string> &sizes);
std::string cxxOf(const syntax::Condition &, const std::set<std::string> &sizes);

/// C++ that divides and rounds down.
std::string cxxQuotient(const std::string &dividend, const std::string &divisor, bool isNeverNegative);

} // namespace pbc::sema
