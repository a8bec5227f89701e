// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Statements that fold one more value into a scalar by an operation that knows no order.
//
//   s[y] += A[x,y] * V[x]                            s = s + (A[x,y] * V[x])
//   m[y] = (m[y] < A[x,y]) ? A[x,y] : m[y]           m = max(m, A[x,y])
//   c[y] = (A[x,y] > 0) ? (c[y] + 1) : c[y]          c = c + (A[x,y] > 0 ? 1 : 0)
//   P[x] = P[x-1] + A[x]                             the same, where the scalar is another cell
//
// Whole numbers add, multiply and combine bits modulo 2^n, so every order gives the same bits; sums,
// products, smallest and largest of floating-point numbers only where they may be reassociated (of two zeros
// or a NaN the one that comes first counts).
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// Associative and commutative.
struct Operation {
  std::string symbol; // "+", "*", "&", "|", "^", "&&", "||", "min", "max"
  Scalar element;
  bool operator==(const Operation &) const = default;
};

struct Folding {
  std::optional<Operation> operation;
  bool isRounded = false; // the order would matter to the last digits: not allowed here
};

/// The statement's new value as what `accumulator` (reads, by access; `target op= value` reads its target)
/// was, combined with something that does not read it. Nothing where it is something else.
Folding foldingOf(const Kernel &, const Statement &, const std::set<int> &accumulator);

} // namespace pbc::kernel
