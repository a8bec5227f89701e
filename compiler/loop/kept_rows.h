// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An item that computes a block of rows, which are sums over the rows before them, keeps those of a whole block in registers
// (kernel/waiting_rows.h).
//
//   for c0 = lowrows; c0 < highrows { s = S[c0]; for c1 = lowrows; c1 < c0 { s -= A[c1, c0] * X[c1] } X[c0] = s }
//   =>  if PB_C0 < 65 and highrows - lowrows = PB_C0 {
//         array rows[PB_C0]
//         for row < PB_C0, unrolled { c0 = lowrows + row; s = S[c0];
//           for step < row, unrolled { c1 = lowrows + step; s -= A[c1, c0] * rows[step] }
//           rows[row] = s; X[c0] = rows[row] }
//       } else { the same as before }
//
// Invariant: step number q of a row reads the block's row number q, and there are as many steps as rows before, which the kernel's
// analysis has found (WaitingRows::isTriangle). So the same operations have the same operands in the same order.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// The nest's body, as before if its loops have another form. `result`: the buffer of the rows. Where these run along dimension 0, blocks of up to 64
/// rows go through the group's memory (rows_in_group.h).
NodePtr withKeptRows(const Nest &, int result);

} // namespace pbc::loop
