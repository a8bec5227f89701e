// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the loops that visit the points of which an accumulation adds the values.
//
//   S.cell(y) += from(A.cell(x, y) a) where x <= y      A[n, n]
//   points: 0 <= x, x < n, x <= y;  known: 0 <= y, y < n
//   =>  for (int x = 0; x < y + 1; ++x)                   x < n follows, so it is not asked
//
// Of the bounds of a variable, the loop takes those from which most others follow, then those that are the same for all cells;
// the others are conditions around the addition.
#pragma once
#include "compiler/sema/linear.h"
#include <vector>

namespace pbc::sema {

struct AccumulationLoop {
  std::string variable;
  std::string begin, end; // C++
  /// From where to where it goes, if that depends on no other loop and all between are points, for each cell; the second is never less.
  std::optional<std::pair<Linear, Linear>> range;
};

struct AccumulationLoops {
  std::vector<AccumulationLoop> loops;  // the outermost first
  std::vector<std::string> conditions;  // C++
  std::optional<std::string> unbounded; // a variable that nothing bounds; the rest is then not complete
  const AccumulationLoop *find(const std::string &variable) const;
};

/// `variables`: the innermost first. `points` and `known` are at least 0: of the points, and of all cells that the rule computes.
AccumulationLoops accumulationLoops(const std::vector<std::string> &variables,
                                    const std::vector<Linear> &points, std::vector<Linear> known,
                                    const std::set<std::string> &sizes);

} // namespace pbc::sema
