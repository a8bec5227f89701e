// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which cells of a buffer hold a value that is still needed, at which steps of loops.
//
//   label y: band y: S0[y]: T[y] = ..   S1[y]: .. = T[y] + T[y - 1]
//   liveCells(kernel, T, band y)   closed 0: a step reads what the one before it wrote; differences { [-1], [0], [1] }, as T[c] is
//                                  in use in steps c and c + 1
//   moduliOf(..)                   2: T[c mod 2] is enough
//
// Values count, not cells: a cell that is written again begins another life.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

struct LiveCells {
  /// Of the loops, the outermost first: how many of them have no step that reads what another step wrote.
  std::size_t closed = 0;
  isl::set differences;  // between cells that live in the same step
  std::string unwritten; // a statement that reads a cell that no statement has written before; "": none
};

/// `at`: a band; all statements that use the buffer are below it, and none of them is opaque. The steps are those of the loops around
/// the band and of its own.
LiveCells liveCells(const Scheduled &, int buffer, const isl::schedule_node &at);

/// By dimension: cells whose coordinates are equal modulo these numbers are not needed together. Nothing where no constant is enough.
/// Dimensions without a modulus must keep all their cells. Of all such numbers, those that need the fewest cells.
std::vector<std::optional<long>> moduliOf(const LiveCells &);

} // namespace pbc::kernel
