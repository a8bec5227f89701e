// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names that a program cannot use, because C++, rule bodies or generated code already use them.
//
//   from A[class]   ->   error: `class` cannot be a name: it is a word of C++
//
// A rule's label may be any name, because it only occurs in quotes.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// Whether `name` may be used; otherwise an error is reported at its place.
bool checkName(const syntax::Identifier &name, source::Diagnostics &);

} // namespace pbc::sema
