// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Two loops of a block's points that do the same with other operands, one after the other, as one loop.
//
//   for k < y: s += A[y, k] * B[x, k]; for y <= k < n: s += A[k, y] * B[x, k]     (A is symmetric: one half is stored)
//   =>  for k < n: s += strip 0 at k * strip 1 at k;   from step y on, A[k, y] takes the place of A[y, k] in strip 0
//
// Only strips of rows are replaced, because strips of columns are copied for all rows at once.
#pragma once
#include "compiler/loop/lower/block_point.h"
#include <optional>
#include <string>
#include <vector>

namespace pbc::loop {

/// A loop that counts up in steps of one.
struct CountingLoop {
  std::string iterator;
  Expr begin, end;
  NodePtr body;
};

struct JoinedSteps {
  std::vector<int> operands,
      takers;              // strips of the first loop, and those of the second one that take their places
  std::vector<Expr> taken; // the first cells of the latter
  Expr change;             // the first step of the second loop, as a function of y
};

/// Nothing if the second loop does anything else, or does not begin where the first one ends. `y`, `x`: iterators of rows and columns.
std::optional<JoinedSteps> joinedSteps(const Nest &, const std::string &y, const std::string &x,
                                       const CountingLoop &first, const CountingLoop &second);

/// The same with other numbers of strips: strip k of the result was strip order[k].
NodePtr withStrips(const NodePtr &, const std::vector<int> &order);

} // namespace pbc::loop
