// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transforms that update a matrix in place: the same name stands in `from` and in `to`.
//
//   transform Sweep from A[n] to A[n] { A.cell(i) from(A.cell(i-1) l, old A.cell(i+1) r) { return l + r; } ... }
//   =>  matrices   old A : [n] input (after = 1),   A : [n] output (before = 0)
//       reads      A[i - 1],  old A[i + 1]
//
// Here it is two matrices: the output `A`, and an input that is called `old A`, a name that no program can give. From here on they are
// matrices like others: the order of rules, kernels and devices follow from what reads and writes which of them.
//
// * In a rule, `A` means the values after the call, and `old A` those before it. An input that is exactly what the rule itself writes at
//   the same point, `A.cell(i) from(A.cell(i) a)`, can only mean the values before, and becomes `old A`.
// * Callers pass the matrix once. The entry of the transform (emit/entry.cpp) takes one view for both. Where the chosen plan may write a
//   cell before all reads of its old value (schedule/shared_views.h), the entry copies the old values first, as it does for every input
//   that shares memory with an output (docs/decisions/0010-aliasing-by-copy.md).
// * A body that reads its output before it writes it, as `to(A a) { a.cell(0) += 1; }`, finds the values before the call there, since
//   nothing else has written these cells.
// * The tables of programs keep two matrices, an input and an output of one name, so that command lines have a file for each. The runtime
//   copies one to the other before each run (MatrixInfo::before). Libraries take one array.
//
// Invariant: `before` and `after` belong together, and the two matrices have the same extents, elements and versions.
#pragma once
#include "compiler/sema/module.h"
#include "compiler/source/diagnostics.h"

namespace pbc::sema {

/// "old A": the name of the input that holds the values of A before the call.
std::string nameBefore(const std::string &matrix);

/// Whether both lists have a matrix of this name.
bool isUpdated(const syntax::Transform &, const std::string &matrix);

/// Connects each output with the input of its values before the call; reports pairs that differ.
void connectUpdated(Transform &, source::Diagnostics &);

/// The matrix that an `old` region reads; reports matrices that are not updated.
std::optional<int> matrixBefore(const Transform &, int matrix, const syntax::Region &, source::Diagnostics &);

/// Makes inputs read the values before the call where they are exactly what the rule writes.
void readOwnBefore(const Transform &, Rule &);

} // namespace pbc::sema
