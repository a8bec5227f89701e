// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// isl's expressions as expressions of the loop tree.
//
//   floord(n + pb__c0, 2)   =>   Arithmetic { FloorDivide, { Arithmetic { Add, { Value n, Index c0 } }, Integer 2 } }
//
// Invariant: this is the only place that reads isl's expressions of loops.
#pragma once
#include "compiler/loop/expression.h"
#include <isl/cpp.h>

namespace pbc::loop {

/// The prefix of the names that the compiler gives to dimensions of isl's objects; no name of a program has it.
inline constexpr std::string_view kOwn = "pb__";
inline constexpr std::string_view kIterator = "pb__c"; // and the number of loops around
/// Dimension `d` of a statement, in functions that hold at every place of it.
std::string dimensionName(int d);

/// "pb__c0" is the variable c0, "pb__low0" the limit low0, any other name a size or tunable. A statement's dimension is
/// replaced by its value in `dimensions`.
Expr expression(const isl::ast_expr &, const std::vector<Expr> &dimensions = {});
/// A function of the program's sizes, where these are in `context`.
Expr parametersOnly(const isl::pw_aff &, const isl::set &context);

} // namespace pbc::loop
