// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that wait for their own cells, in lanes: a strip of as many cells of each row as there are lanes is turned in registers on its way
// from and to the matrices, so that what the lanes compute together lies side by side. Where registers do not hold such a square
// (SquareFits), the loop runs as it is.
//
//   for c1 { for each lane of c0: B[c1, c0] = 0.5 * B[c1 - 1, c0] + A[c1, c0] }                   8 lanes
//   =>  strip of c1_s ..  c1_s + 8:
//         B_rows[0] = B[c1_s - 1, c0]                for each lane of c0
//         A_rows = 8 cells of 8 rows from A[c1_s, c0_g] on, turned
//         for pb__k = 0; pb__k < 8 { c1 = c1_s + pb__k;  B_rows[pb__k + 1] = 0.5 * B_rows[pb__k] + A_rows[pb__k]   for each lane, a vector }
//         8 cells of 8 rows from B[c1_s, c0_g] on, turned = B_rows[1]
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

/// The iterations of the loop from the value of the name `begin` on, as many as there are lanes. Nothing if the loop does other things than
/// to compute cells of such rows, or accesses none.
std::optional<TurnedStrip> turnedStrip(const Nest &, const For &, const LanesOfRows &,
                                       const std::string &begin);

} // namespace pbc::loop
