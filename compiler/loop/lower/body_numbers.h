// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whole numbers that a body computes of sizes and variables of loops, as numbers of the loops.
//
//   (int(c1) - 1) + int(n), operations of the body    =>   c1 - 1 + n, arithmetic of indices
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

Expr withoutParentheses(const Expr &);

/// Null if it is no sum of sizes, variables and constants.
Expr ofLoops(const Expr &);

} // namespace pbc::loop
