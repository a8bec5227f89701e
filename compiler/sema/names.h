// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Names that a program cannot use, because C++, rule bodies or generated code have them already.
//
//   from A[class]   ->   error: `class` cannot be a name: it is a word of C++
//
// A rule's label is no such name: it only ever stands in quotes.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// Whether `name` may be used; an error at its place if not.
bool checkName(const syntax::Identifier &name, source::Diagnostics &);

} // namespace pbc::sema
