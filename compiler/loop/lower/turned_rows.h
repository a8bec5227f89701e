// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that wait for their own cells, in lanes: a strip of some cells of each row is turned in registers on its way from and to the
// matrices, so that what the lanes compute together lies side by side. It has as many cells as the processor's vectors (StripCells), so that it takes
// one register for each row.
//
//   for c1 { for each lane of c0: B[c1, c0] = 0.5 * B[c1 - 1, c0] + A[c1, c0] }                   8 lanes
//   =>  strip of c1_s ..  c1_s + c1_n:
//         B_rows[0] = B[c1_s - 1, c0]                for each lane of c0
//         A_rows = c1_n cells of 8 rows from A[c1_s, c0_g] on, turned
//         for pb__k = 0; pb__k < c1_n { c1 = c1_s + pb__k;  B_rows[pb__k + 1] = 0.5 * B_rows[pb__k] + A_rows[pb__k]   for each lane, a vector }
//         c1_n cells of 8 rows from B[c1_s, c0_g] on, turned = B_rows[1]
//
// The loop may go down the rows (cells -c1). A cell of the strip that an earlier iteration has written is read from the array; what is read
// before it is written comes from the matrix.
//
// Invariant: each iteration computes what it did, with the same operations, and touches no cell of another row or strip but those that it
// reads, and those between them along the row.
#pragma once
#include "compiler/loop/tree.h"
#include <optional>

namespace pbc::loop {

/// So many lanes have strips.
inline constexpr long kTurnedLanes = 8;

struct LanesOfRows {
  std::string lane;  // the iterator of the rows
  std::string first; // the row of the first lane
  long count;
};

struct TurnedStrip {
  NodePtr body;   // statements for each lane, as in the body of the loop
  Expr condition; // where all cells that are read under conditions are there; null: always
  Scalar widest;  // of the cells that are turned
};

/// The names of the iteration where a strip begins and of how many it has.
struct StripNames {
  std::string begin, cells;
};

/// The iterations of the loop in a strip. Nothing if the loop does other things than
/// to compute cells of such rows, or accesses none.
std::optional<TurnedStrip> turnedStrip(const Nest &, const For &, const LanesOfRows &, const StripNames &);

} // namespace pbc::loop
