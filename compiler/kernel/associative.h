// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds statements that fold one more value into a scalar by an associative operation.
//
//   s[y] += A[x,y] * V[x]                            s = s + (A[x,y] * V[x])
//   m[y] = (m[y] < A[x,y]) ? A[x,y] : m[y]           m = max(m, A[x,y])
//   c[y] = (A[x,y] > 0) ? (c[y] + 1) : c[y]          c = c + (A[x,y] > 0 ? 1 : 0)
//   P[x] = P[x-1] + A[x]                             the same, where the scalar is another cell
//
// Integers are added, multiplied and combined bitwise modulo 2^n, so every order gives the same bits. Sums,
// products, minima and maxima of floating-point numbers are accepted only if they may be reassociated (the
// result of a minimum of two zeros, or with a NaN, depends on the order).
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

/// An associative and commutative operation.
struct Operation {
  std::string symbol; // "+", "*", "&", "|", "^", "&&", "||", "min", "max"
  Scalar element;
  bool operator==(const Operation &) const = default;
};

struct Folding {
  std::optional<Operation> operation;
  bool isRounded = false; // the order would matter for rounding, and reordering is not allowed here
};

/// How what a fold made of its other terms joins its first value, so that the first value may be computed last:
///
///   best = f;  for k: best = t[k] > best ? t[k] : best
///   => rest = -inf;  for k: rest = t[k] > rest ? t[k] : rest;  best = f;  best = rest > best ? rest : best
///
/// The result has the same bits.
struct Joining {
  std::string by; // "+", "*", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=", or a function, as "fmax"
  Scalar element;

  /// A first value that changes no result: zero, or the least number.
  ExprPtr neutral() const;
  /// The value of both, from the first value and what the fold has made of the neutral one.
  ExprPtr joined(const ExprPtr &first, const ExprPtr &rest) const;
};

/// Nothing where the order matters: in sums and products of floating-point numbers, unless they may be reassociated, and in minima and
/// maxima of them that a NaN begins anew, as `best > c ? best : c` does.
std::optional<Joining> joiningOf(const Kernel &, const Statement &, const std::set<int> &accumulator);

/// The statement's new value as the old value of `accumulator` (its reads, by access; in `target op= value`
/// the target is read) combined with something that does not read it. Nothing if it has another form.
Folding foldingOf(const Kernel &, const Statement &, const std::set<int> &accumulator);

} // namespace pbc::kernel
