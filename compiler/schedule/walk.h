// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How loops walk through memory.
//
//   S<k>[i] from L[k, i]     along k: it keeps the cell of S     along i: against the order in memory, as each cell of L is in another row
#pragma once
#include "compiler/schedule/plan.h"

namespace pbc::schedule {

/// The cells that points read or write.
struct Cells {
  isl::map access; // { point -> cells }, without the versions of matrices
  bool isWrite = false;
};

/// How a loop whose points access single cells walks.
struct Walk {
  bool isAgainst = false; // a cell of some matrix is in another line than the one before it
  bool keepsCells =
      true; // it writes one cell all the time, which is a register as long as no other cell of that matrix is read
};

/// For the loop over a variable of these points. Nothing if they access more than single cells.
std::optional<Walk> walkOf(const isl::union_set &points, unsigned variable, const std::vector<Cells> &);

} // namespace pbc::schedule
