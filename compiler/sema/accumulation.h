// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rules that accumulate become rules that compute each cell from all of its points.
//
//   S.cell(y) += from(A.cell(x, y) a, V.cell(x) v) { return a * v; }
//   =>  S.cell(y) from(A.row(y) a, V v) { double sum = 0; for (int x = 0; x < w; ++x) sum += (a.cell(x) * v.cell(x)); return sum; }
//
// What the coordinates of the inputs name, and those of the output do not, is summed over, the first one named innermost, as memory
// lies. Each term is added where all cells that it reads exist and the conditions of the rule hold. Later steps see no other rules than
// before, so the order of the additions is fixed. Source: an extension of language reference 1.5.
#pragma once
#include "compiler/source/diagnostics.h"
#include "compiler/syntax/ast.h"

namespace pbc::sema {

/// Replaces these rules; those with mistakes, which are reported, are left out. Constants (`let`) may not have been placed yet.
void placeAccumulations(const syntax::Transform &header, std::vector<syntax::Rule> &rules,
                        source::Diagnostics &);

} // namespace pbc::sema
