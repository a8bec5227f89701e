// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes a block of points at once, all their scalars in registers: rows of y times vectors of x.
//
//   band y: band x: s = 0; band k: s += A[k, y] * B[x, k]; C[x, y] = s
//   =>  mark registers: band y: band x: ...    and Kernel::registerTile has the details for the printer
//
// One load of B[x .. x + 16, k] then serves all rows of the block, one of A[k, y] all its columns, and the
// additions of one point, which depend on each other, alternate with those of other points. The order of the
// operations of each point is not changed. The size of a block depends on the processor's registers:
// runtime/abi/register_tile.h chooses it, runs the blocks, and copies what they read into contiguous panels
// if that pays.
//
// This is for bodies with long loops; short ones are better left to LLVM's vectoriser. Legal if the loop over
// x carries no dependence and no loop of the body depends on x. Loops may have other bounds in other rows:
// then the rows of a block share the steps that all of them have. Rows may wait for earlier ones if only
// steps of their loop do, in the same column (a triangular solve): then they share the steps whose rows are
// done (RegisterTile::behind); the loop over y may run backward. Cells that are written, and those that are read
// once a point, need not lie side by side along x: then squares of them are turned, or a vector's lanes are loaded and
// stored one by one. A copy of a matrix that is made before the loops is read as a matrix is. Blocks may overlap (the last one begins early rather than end beyond the
// edge), because computing a point again gives the same result. Minima, choices and the like in the terms are vectors, too; functions that have no
// instruction may only come behind the loops over k, where a block calls them for each lane.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// `shape`: makes blocks of this shape, whether it pays or not; null: only where it pays, in the processor's
/// best shape.
Outcome registerTile(const Scheduled &, const RegisterShape *shape = nullptr);

} // namespace pbc::kernel
