// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the cells of an access follow each other in memory when one variable changes.
//
//   A[k, y + 1]    along k: Contiguous    along y: Strided    along x: Nowhere
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

enum class Along { Nowhere, Contiguous, Strided };

/// Along dimension `d` of the statement. Nothing if the cell's coordinates have cases, or divisions that change along it.
std::optional<Along> along(const Kernel &, const Access &, int d);

/// By how much coordinate `c` of the cell changes when dimension `d` grows by one; only defined where along()
/// gives a result.
long coefficient(const Access &, int c, int d);

/// The free variable that moves along dimension 0 of the matrix that an assignment writes; -1 if there is
/// none, or it writes a Local or a number, or is a call.
int contiguousVariable(const Kernel &, const Statement &);

/// Whether the value may differ between iterations of dimension `d`. The value of a Local counts as
/// different.
bool movesWith(const Kernel &, const Statement &, const Expr &, int d);

/// Whether the bounds of the loop over dimension `d` of a domain depend on dimension `point`, which comes before it.
bool boundsMoveWith(const isl::set &domain, int d, int point);

} // namespace pbc::kernel
