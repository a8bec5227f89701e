// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unroll-and-jam: computes several iterations of the loop around a vector loop together.
//
//   label y: band y: label x: vector: band x: S     S[x,y]: B[x,y] = sum of the 3 x 3 cells of A around
//   => jam(y; 4)    label y: jam:4: band y: ...     18 cells of A are read for four points, not 36
//
// The mark says how the loop is realised and leaves the tree as it is. Legal if the loop carries no dependence; possible if
// the vector loop is all that it has inside, and runs one statement.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation jamTransformation();

/// Why a loop, realised in whatever way, cannot run several iterations together; "" if it can.
std::string whyNotJammed(const Scheduled &, const LoopNode &);

/// Whether a loop has a vector loop of one plain statement inside, and nothing else.
bool isAroundVector(const Scheduled &, const LoopNode &);

} // namespace pbc::kernel
