// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gives an intermediate result no more cells than are in use at the same time.
//
//   label y: band y: sequence { label x: band x: S0: T[x, y] = A[x, y] ; label x2: band x: S1: C[x, y] = T[x, y] + T[x, y - 1] }
//   => contract(T, at = y)
//   alloc T: label y: band y: ... S0: T[x, y mod 2] = A[x, y] ... S1: C[x, y] = T[x, y mod 2] + T[x, (y - 1) mod 2]
//
// T is scratch memory, such as `fission` and `layout` make, or a matrix that nobody but the kernel reads (Buffer::isPrivate), which
// becomes scratch memory. A cell is in use from the step of the loop that writes its value to the last one that reads it. If
// no value is needed in another step, the memory is declared inside the loop; if a step then uses one cell, it is a
// variable of the body. So small an array stays in the cache or in registers, where the whole result would go to memory and
// come back; `fuse` makes that possible. The moduli are those of Lefebvre and Feautrier, Automatic storage management for
// parallel programs, Parallel Computing 1998.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation contractTransformation();

} // namespace pbc::kernel
