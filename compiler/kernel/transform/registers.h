// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes blocks of points whose values are in registers (register_tile.h).
//
//   label y: band y: label x: band x: { S0 ; label k: band k: S1 ; S2 }
//   => registers(y, x; rows = 8, vectors = 2, depth = auto, columns = auto)   label y: registers: band y: ...
//
// y and x are the two innermost loops over points. Blocks load and store fastest where cells are contiguous along x. A size that is `auto` or not
// given is decided by runtime/abi/register_tile.h, by the processor at hand.
#pragma once
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation registersTransformation();

} // namespace pbc::kernel
