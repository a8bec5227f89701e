// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which rows are computed several at once because each of them waits for its own cells, or reads down columns that lie beside
// each other.
//
//   for y parallel { for x in order: B[x, y] = B[x - 1, y] + A[x, y] }        =>  lanes(y; 8)
//   for y parallel { s = 0; for k: s += A[k, y]; B[y] = s }                   =>  lanes(y; 8)
//   for x parallel { for y parallel: B[y, x] = A[x, y] }                      =>  lanes(x; 8)
//   for x in order: { s = B[x]; for k < x: s -= L[k, x] X[k]; X[x] = s / L[x, x] }
//     =>  in blocks of 8 points: s[x] = B[x] for all of them; for k before the block: s[x] -= L[k, x] X[k] for all of them, side by side;
//         for x in order: { s[x] -= L[k, x] X[k] for the others k; X[x] = s[x] / L[x, x] }
//
// Eight points side by side use what a line of memory has at once. One row takes the latency of an addition for each cell. Eight rows side by
// side keep the units busy. Loops along the rows run in strips whose cells are turned in registers, so that the rows are lanes of vectors
// (loop/lower/turned_rows.h); other statements are written out for their rows.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// So many rows at once: the latency of an addition times the additions that begin in a cycle.
inline constexpr long kRowsAtOnce = 8;

/// The steps for the loop over rows in which this loop lies, the innermost one over points, or for this loop itself. No step, and why, if
/// there are no such rows.
Steps rowsAtOnce(const Scheduled &, const LoopNode &innermost);

} // namespace pbc::kernel
