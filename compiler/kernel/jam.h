// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unroll-and-jam: computes several iterations of the loop around a vector loop together, if they share what
// they read.
//
//   band y: mark vector: band x: S     S[x,y]: B[x,y] = sum of the 3 x 3 cells of A around
//   => mark jam:4: band y: ...         18 cells of A are read for four points, not 36
//
// The mark says how the loop is realised and leaves the tree as it is. Legal if neither loop carries a
// dependence.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// Marks every such loop; says why if there is none. `rows`: the number of iterations together, whether it
/// pays or not; 0: as many as fit into registers, if that saves reads.
Outcome jam(const Scheduled &, int rows = 0);

} // namespace pbc::kernel
