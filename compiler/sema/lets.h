// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The constants of a transform, `let`: each becomes something that all later steps know.
//
//   let half = n / 2;      a whole number of sizes, params and tunables: it is replaced in headers, and bodies that name
//                          it begin with `const int half = (n / 2);`
//   let c = exp(-a);       any other value: a `through` matrix without dimensions, with the rule `c from() { return exp(-a); }`;
//                          rules whose bodies name it read it, `from(c c)`
//
// So the value is computed once for each call, before the rules that name it, and kernels read it like a 0-d input. Names that
// a rule has given to something else keep that meaning there. Source: an extension of language reference 1.4.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// Puts the constants into the header and the rules; the rules that compute them are added behind all others.
void placeLets(syntax::Transform &header, std::vector<syntax::Rule> &rules, source::Diagnostics &);

} // namespace pbc::sema
