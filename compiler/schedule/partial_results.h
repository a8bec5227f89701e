// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes versions of a dimension of a temporary matrix along which its cells are computed one from the other, so that they need one slot.
//
//   through P[n+1, n]     P.cell(j, i) from(P.cell(j-1, i) p, L.cell(j-1, i) l, X.cell(j-1) x)
//                         X.cell(i) from(P.cell(i, i) s, ...)
//   => through P<0..n>[n]     P<j>.cell(i) from(P<j-1>.cell(i) p, ...),     X.cell(i) from(P<i>.cell(i) s, ...)
//
// Partial sums of all cells would go through memory, where with one slot each sum is one cell, or a register. versions.h finds the slots.
//
// Invariant: the matrix lies in one slot, or nothing is changed; no other matrix gets more slots.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Changes the matrices of which plans allow that, and their cells in the grids; plans those transforms again.
void makePartialResultsVersions(sema::Module &, const std::vector<std::vector<body::Facts>> &,
                                std::vector<choice::Choices> &, std::vector<TransformPlans> &,
                                const poly::Context &);

} // namespace pbc::schedule
