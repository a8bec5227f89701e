// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Types in the text of a kernel. An expression has the type that its parts suggest, and says its own where it has another.
//
//   2.0 * x         a double: 2.0 is one
//   (2 : double)    a literal that is a double all the same
//   float(a + b)    a conversion
#pragma once
#include "compiler/kernel/kernel.h"
#include <string_view>

namespace pbc::kernel::textual {

/// "double", "float", "int", "long", "byte", "bool"
std::string_view typeName(Scalar);
std::optional<Scalar> typeNamed(std::string_view word);

/// The type of an expression that says none. Literals, as in C++: 1.0, 1.0f, 1, 1L, true. Dimensions and parameters are ints, other
/// names are doubles; elements have their buffer's type, comparisons and logical operators are bools; a choice has the type of its
/// second operand, everything else that of its first. `e` itself needs no type yet.
Scalar usualType(const Kernel &, const Statement &, const Expr &e);

} // namespace pbc::kernel::textual
