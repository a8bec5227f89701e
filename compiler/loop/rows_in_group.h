// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Items that compute rows which run along dimension 0 of a matrix, each item those of one line, exchange what neighbours load for what each of
// them needs through the group's memory (kernel/waiting_rows.h).
//
//   items item0 { for c0 = lowrows; c0 < highrows { s = S[c0, item0]; .. X[c0, item0] = s } }
//   =>  group array strip0[PB_G0 * pitch], strip1[PB_G0 * pitch]
//       groups group0 { items lane0 {
//         for turn < PB_C0 { slot = lane0 + turn * PB_G0; row = slot % PB_C0; line = slot / PB_C0; strip0[line, row] = S[lowrows + row, first0 + line] }
//         barrier; for c0 .. { s = strip0[lane0, c0 - lowrows]; .. strip1[lane0, c0 - lowrows] = s }; barrier
//         the same turns: X[lowrows + row, first0 + line] = strip1[line, row] } }
//
// Without it neighbouring items access cells that lie a row of the matrix apart. Lines of a strip have an odd number of places, so that
// items that access the same row fall into different banks.
//
// Invariant: all rows of the block are computed in each line (WaitingRows::isTriangle), so that what is stored was computed; the same
// operations have the same operands in the same order.
//
// Source: Ruetsch and Micikevicius, "Optimizing matrix transpose in CUDA", 2009.
#pragma once
#include "compiler/loop/tree.h"

namespace pbc::loop {

/// The nest's body in this form. `computing`: what stands for its loop over rows. `most`: so many rows a block has at most in this form; blocks of
/// more rows are computed as in `otherwise`. Nothing if rows do not run along dimension 0, or if strips do not fit.
NodePtr withRowsInGroup(const Nest &, int result, const NodePtr &computing, long most,
                        const NodePtr &otherwise);

} // namespace pbc::loop
