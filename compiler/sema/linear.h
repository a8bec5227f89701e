// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coordinates and sizes as sums of names with factors, so that they can be solved for one of the names.
//
//   n - 1 - (x + i)   =>  n - i - x - 1
//   2*w/2 + x         =>  (2*w/2) + x: what is no such sum, as a division, is one term as it stands
//
// Invariant: no factor is 0.
#pragma once
#include "compiler/syntax/ast.h"
#include <map>
#include <optional>
#include <set>
#include <string>

namespace pbc::sema {

struct Linear {
  struct Term {
    syntax::ExprPtr atom; // a name, or what is no sum
    long factor = 0;
  };
  std::map<std::string, Term> terms; // by what the atom is written like
  long constant = 0;

  Linear plus(const Linear &, long factor = 1) const;
  Linear plus(long) const;
  /// Of a name; 0 where it stands in no sum.
  long factor(const std::string &name) const;
  /// All names, also those inside of atoms.
  std::set<std::string> names() const;
  bool mentions(const std::string &name) const { return names().contains(name); }
  /// Without the name: `*this` is `factor(name) * name + without(name)`.
  Linear without(const std::string &name) const;
  bool operator==(const Linear &) const;
};

/// Nothing for numbers that are too large or no whole numbers.
std::optional<Linear> linear(const syntax::Expr &);

/// The expression that it stands for.
syntax::ExprPtr expressionOf(const Linear &, source::Span);
/// C++ that computes it, divided by `divisor` and rounded down.
std::string cxxOf(const Linear &, const std::set<std::string> &sizes, long divisor = 1);
/// C++ that tells whether it is at least 0, with positive terms only: `x + i < n`.
std::string cxxNotNegative(const Linear &, const std::set<std::string> &sizes);

} // namespace pbc::sema
