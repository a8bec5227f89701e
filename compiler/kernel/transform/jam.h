// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unroll-and-jam: computes several iterations of the loop around a vector loop together.
//
//   label y: band y: label x: vector: band x: S     S[x,y]: B[x,y] = sum of the 3 x 3 cells of A around
//   => jam(y; 4)    label y: jam:4: band y: ...     18 cells of A are read for four points, not 36
//
//   label k: band k: label x: vector: band x: S     S[k,x]: C[x] += A[x,k] * B[k]
//   => jam(k; 4)    label k: jam:4: band k: ...     C[x] is loaded and stored once for four terms, which are added in their order
//
// The mark says how the loop is realised and leaves the tree as it is. Legal if the loop carries no dependence, or if its iterations update
// the same cells, which nothing else reads meanwhile, and changing places with the vector loop keeps all dependences; possible if the vector
// loop is all that it has inside, and runs one statement.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation jamTransformation();

/// Why a loop, realised in whatever way, cannot run several iterations together; "" if it can.
std::string whyNotJammed(const Scheduled &, const LoopNode &);

/// Whether a loop has a vector loop of one plain statement inside, and nothing else.
bool isAroundVector(const Scheduled &, const LoopNode &);

/// Whether each iteration of such a loop updates (`+=`) the cells that the others update, and reads no cell of that matrix, nor of one that may be
/// the same where it is updated.
bool updatesSameCells(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
