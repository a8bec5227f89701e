// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From syntax to meaning: resolves names, turns sizes and coordinates into affine expressions, normalises
// regions.
//
//   in:   transform T from A[w, h] to B[w] { to(B.cell(x) b) from(A.column(x) a) {...} }
//   out:  sizes [w, h]
//         rule0 free [x], writes B[x : x+1], reads a = A[x : x+1, 0 : h] as a 1-d view of dimension 1
//
// All errors that can be found are reported; the Module may only be used when there were none. A construct of
// the language that later steps cannot treat yet is an error here, at its place, by its name.
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::sema {

/// `mainName`: from --main; "": the program decides (the transform marked `main`, else the last).
Module check(const syntax::Program &, const std::string &moduleName, const std::string &mainName,
             source::Diagnostics &);

/// --emit=module
std::string print(const Module &);

} // namespace pbc::sema
