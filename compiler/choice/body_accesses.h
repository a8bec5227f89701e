// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accesses of rule bodies that surely leave the regions that the rule's header gives them.
//
//   B.cell(y) from(A.row(y) a) { ... for (int i = 0; i <= w; ++i) s += a.cell(i); ... }
//   =>  error: this is outside of `a` at i = w
//
// Only what a lifted body does can be followed: its indices and loop bounds are affine, so the points at
// which an access is outside are an exact isl set. An error is reported if there are such points at every
// size for which the access is made at all, or at all large sizes. Whatever depends on data, or goes wrong
// at some sizes only, is left to the checks of --bounds-check.
#pragma once
#include "compiler/choice/grid.h"

namespace pbc::choice {

void checkBodyAccesses(const sema::Module &, const std::vector<std::vector<body::Facts>> &,
                       const std::vector<Choices> &, const poly::Context &, source::Diagnostics &);

} // namespace pbc::choice
