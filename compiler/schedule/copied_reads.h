// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies the few cells that all points of a step read of a versioned matrix, so that the step may overwrite them and one slot is enough.
//
//   L<k>.cell(x, y) from(L<k-1>.cell(x, y) d, L<k-1>.cell(k-1, y) a, L<k-1>.cell(x, k-1) b)     two slots: others read row and column k - 1
//   => C<k>.cell(0, y) from(L<k-1>.cell(k-1, y) c)
//      R<k>.cell(x, 0) from(L<k-1>.cell(x, k-1) c)
//      L<k>.cell(x, y) from(L<k-1>.cell(x, y) d, C<k>.cell(0, y) a, R<k>.cell(x, 0) b)          one slot for each of L, C and R
//
// A copy is a matrix and a rule like any other, so whatever comes after plans need not know of it. It has as many dimensions as the
// matrix, so that tasks and items of devices have the same coordinates, and one cell along those that the version decides.
//
// Invariant: a copy has fewer dimensions than the points that read it, no matrix of the program gets more slots, and the values and the
// order of operations stay what they were. Everything is left as it is if not all versions then lie in one slot.
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// Adds copies, with rules that make them, where they save slots; plans those transforms again.
void copyReads(sema::Module &, std::vector<std::vector<body::Facts>> &, std::vector<choice::Choices> &,
               std::vector<TransformPlans> &, const poly::Context &);

/// Whether the rule makes copies.
bool isCopy(const sema::Rule &);
/// The matrix of which this one has copies.
std::optional<int> copiedMatrix(const sema::Transform &, int matrix);

} // namespace pbc::schedule
