// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl's AST expressions as C++ text. isl prints expressions itself, but with macros and 32-bit assumptions,
// and it cannot rename an iterator; every emitter needs both.
//
//   floord(n + c0, 2)  =>  pb::floordiv(n + c0, 2)        min(n, 8)  =>  pb::minimum(n, 8)
//
// Every name is a `long`. Parentheses stand only where C++ needs them.
#pragma once
#include <functional>
#include <isl/cpp.h>
#include <string>

namespace pbc::poly {

/// The C++ text of `expression`; names are passed through `rename` if one is given.
std::string cxx(const isl::ast_expr &expression,
                const std::function<std::string(const std::string &)> &rename = {});

/// True if the expression is an integer constant; `value` is then set.
bool isConstant(const isl::ast_expr &expression, long &value);

} // namespace pbc::poly
