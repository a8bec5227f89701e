// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which rows are computed several at once because each of them waits for its own cells.
//
//   for y parallel { for x in order: B[x, y] = B[x - 1, y] + A[x, y] }        =>  lanes(y; 8)
//   for y parallel { s = 0; for k: s += A[k, y]; B[y] = s }                   =>  lanes(y; 8)
//
// One row takes the latency of an addition for each cell. Eight rows side by side keep the units busy; vectors across the rows would
// load cell by cell, so that each statement is written out for its rows (loop/lower/lanes.cpp).
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/policy/vectors.h"

namespace pbc::kernel {

/// So many rows at once: the latency of an addition times the additions that begin in a cycle.
inline constexpr long kRowsAtOnce = 8;

/// The step for the loop over rows in which this loop lies, the innermost one over points, or for this loop itself. No step, and why, if
/// there are no such rows.
Steps rowsAtOnce(const Scheduled &, const LoopNode &innermost);

} // namespace pbc::kernel
