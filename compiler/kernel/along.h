// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the cells of an access follow each other when one variable moves.
//
//   A[k, y + 1]    along k: Contiguous    along y: Strided    along x: Nowhere
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

enum class Along { Nowhere, Contiguous, Strided };

/// Along dimension `d` of the statement. Nothing if the cell's place has cases or divisions.
std::optional<Along> along(const Kernel &, const Access &, int d);

/// How far coordinate `c` of the cell moves when dimension `d` moves by one; only where along() says
/// something.
long coefficient(const Access &, int c, int d);

/// The free variable that moves dimension 0 of the matrix that an assignment writes; -1 if none does, or it
/// writes a Local or a number.
int contiguousVariable(const Kernel &, const Statement &);

/// Whether the value may differ between iterations of dimension `d`; the value of a Local does.
bool movesWith(const Kernel &, const Statement &, const Expr &, int d);

/// Whether the loop over dimension `d` of a domain has other bounds at other values of dimension `point`.
bool boundsMoveWith(const isl::set &domain, int d, int point);

} // namespace pbc::kernel
