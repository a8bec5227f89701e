// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A statement of a body that became several, because what it reads of a matrix with a structure has several values.
//
//   for k in [0, n): s += A(k, y) * b(k)       A is lower_triangular
//   => S1: s += A[k, y] * b[k] for k <= y      S2: s += 0 * b[k] for k > y
//   addsNothing(S2)                            and S2 is left out
//   loopsOfParts(loop k { S1 ; S2 })           loop k { S1 }, then loop k { S2 }
#pragma once
#include "compiler/kernel/lift_body.h"
#include <set>

namespace pbc::kernel {

/// Whether the statement changes nothing: it adds a product with a zero, as `s += 0 * b`, `s = s + 0 * b` or `s = fma(0, b, s)`. What is
/// not stored is no number, so that no infinity can be its other factor.
bool addsNothing(const Statement &);

/// The statements of a loop of which some assign one of these buffers, which nothing reads before them or behind the loop. They assign it only in the
/// steps in which later statements of the loop read it, and are one statement for each part of these.
std::vector<Block> cutAlongReaders(const std::vector<Block> &body, const std::set<int> &buffers,
                                   std::vector<Statement> &statements);

/// What the statement stores at each point, if that is a literal, or a product with a zero; else null.
ExprPtr constantOf(const Statement &);

/// A loop for each part of the loop, which is all statements with the same steps, in an order in which all steps of one part come before those of the
/// next at each point of the rule; the loop as it is where there is no such order. A part that has one iteration at each point leaves its loop.
std::vector<Block> loopsOfParts(const Block &loop, std::vector<Statement> &statements);

} // namespace pbc::kernel
