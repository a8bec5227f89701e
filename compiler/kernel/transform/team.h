// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// team(loops; neighbours): lets the items of a group compute a cell together, in teams.
//
//   band y: alloc s: { S0; band k: S1; S2 }    s = 0; s += A[k, y]; R[y] = s
//   team(k)  =>  cell:0: band cell0 = y: alloc s: { S0; team: band k: S1; S2 }
//   band y: band x: S                          P[x, y] = P[x - 1, y] + A[x, y]
//   team(x)  =>  cell:0: band cell0 = y: team: band x: S
//
// Each item of the team takes some steps of the loop, and what these have computed is folded by an associative operation, or scanned.
// Which loops can be shared out is found by cooperate.h: `loops` names those that are, all if none is named. Where a loop is the whole
// body of another one, the steps of that along memory are dealt ("team:deals" inside of "team:folds"). With `neighbours = cells`,
// neighbouring items of a group have neighbouring cells, so that they read along memory where rows of cells lie there. A kernel with one
// cell has no band over cells. loop/lower/teams.cpp makes the loops. Source: petabricks-hetero 10, requirements 13 and 98.
//
// It does not apply where a step needs the one before it in another way, or where the order of rounding must be kept.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation teamTransformation();

} // namespace pbc::kernel
