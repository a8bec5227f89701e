// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Turns size and coordinate expressions into affine ones.
//
//   (w - KW + 1) / 2   ->   isl "floor(((w - KW) + 1)/2)"   cxx "pb::floordiv(((w - KW) + 1), 2)"
//
// Division rounds towards minus infinity (for sizes, which are not negative, that is C++'s division).
// Products of sizes become sizes of their own, (n + 1)*(n - 1) is "n__n - 1", so that the rest remains
// affine. Other products, division by a variable and fractions are refused with the reason.
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"
#include <functional>

namespace pbc::sema {

/// Decides whether a name may be used in an expression.
using NameCheck = std::function<bool(const std::string &name, Span span)>;

/// The name of a product of these sizes (mangled, sorted); nothing if it is not allowed there.
using ProductName = std::function<std::optional<std::string>(const std::vector<std::string> &factors)>;

/// The expression as Affine; nothing after an error, which is reported. `known` reports unknown names itself.
std::optional<Affine> affine(const syntax::Expr &, const NameCheck &known, const ProductName &,
                             source::Diagnostics &);

Affine constant(long value, Span);
Affine plus(const Affine &, long);

/// The value of the expression, if it is an integer constant.
std::optional<long> constantValue(const syntax::Expr &);

/// All names in the expression, in order of appearance, each with its place.
void collectNames(const syntax::Expr &, std::vector<syntax::Identifier> &);

} // namespace pbc::sema
