// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which values of a statement may be computed where C++ would not come to them: behind `&&` and `||`, and the other value of a choice.
//
//   s == 2 && a.cell(1, 1)                      both sides are: the cell exists at all points
//   c ? 0.25 * (l + r) : u                      both values are
//   optional cells: x > 0 ? a.cell(x - 1) : 0   stay as they are: there is no such cell at x = 0
//   s < 46341 ? s * s : 0                       stays: the product may be too large for an int, which C++ does not define
//
// Invariant: a value that is free is defined at all points of the statement, reads no cell outside of its matrix, and calls nothing.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::loop {

/// `mostNodes`: it has at most so many operators, numbers and cells.
bool isFreeToCompute(const kernel::Kernel &, const kernel::Statement &, const kernel::Expr &, int mostNodes);

} // namespace pbc::loop
