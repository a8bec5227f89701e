// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The steps of a block of points (registers.cpp), meanwhile what it needs behind them is fetched from memory.
//
//   for c2 in [a, b): s[r][v] += ...
//   =>  c2 = a
//       for pb__round = 0; c2 < b: { if pb__round < R: prefetch row pb__round; for c2 < min(c2 + 16, b): s[r][v] += ... }
//
// The cells that a block stores, or reads once a point, lie in as many lines as it has vectors, one row in another page than the next. Asked for all at once
// they would hold up the steps, which need lines as well; a row every 16 steps does not.
//
// Source: the kernels of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", 2008, do the same by hand.
#pragma once
#include "compiler/loop/tree.h"
#include <string>
#include <vector>

namespace pbc::loop {

/// The steps of `step` from `begin` to `end`, each of which is `body`. `row`: statements for one row of a block whose number is BlockOfPoints::kRow.
NodePtr stepsInRounds(const std::string &step, const Expr &begin, const Expr &end, const NodePtr &body,
                      std::vector<NodePtr> row);

/// For a block whose columns lie in different lines, and the rows of one side by side: `body` for each R-th column from column BlockOfPoints::kRow on, so
/// that the rounds of all rows together do it for all. `y`, `x`: the iterators, of which `y` is the block's first row or one `behind` it.
NodePtr columnsOfRound(const std::string &y, const Expr &behind, const std::string &x, const NodePtr &body);

} // namespace pbc::loop
