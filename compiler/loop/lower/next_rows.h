// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which cells rows read that no row before them has read: what has to come from memory while the rows before are computed.
//
//   for c0 for c1  B[c1, c0] = A[c1 - 1, c0 - 1] + A[c1, c0] + A[c1, c0 + 1]      newCells = { A[c1, c0 + 1] }
//
// Of the loops in a body, whose ends are known, those iterations count that lead. Planes that an outer loop goes through have been read in its
// iterations before, but for the last one.
// Invariant: what is asked for is a row of cells along which the inner loop goes; cells that lie apart would each ask for a line.
#pragma once
#include "compiler/loop/tree.h"
#include <string>
#include <vector>

namespace pbc::loop {

/// The cells of matrices, one for each row of such, that the body of a loop over `cell` inside of one over `row` reads first. The factor of
/// `cell` in the first coordinate of each is positive and known (alongRow). Of a matrix of which a point reads one cell there is none: a processor looks
/// far enough ahead by itself (measured, docs/notebook/stores.md).
std::vector<Expr> newCells(const Nest &, const NodePtr &body, const std::string &row,
                           const std::string &cell);

/// How many cells of its row an iteration over `cell` goes on.
long alongRow(const Expr &element, const std::string &cell);

} // namespace pbc::loop
