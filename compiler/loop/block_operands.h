// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What lowering needs to know of the operands of blocks of points in registers (lower/registers.h), taken from the kernel.
//
//   s += A[k, y] * B[x, k];  t += A[k, y] * B[x, k] * B[x, k]
//   =>  two strips: one along y for both reads of A, one along x for all three reads of B
//
// Invariant: reads of one strip are of an input, in the steps of one loop.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

Registers registers(const kernel::Kernel &, const kernel::RegisterTile &);

} // namespace pbc::loop
