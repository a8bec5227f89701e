// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether two kernels have the same statements and memory, so that a schedule of one is a schedule of the other.
//
//   before   S: C[x] = A[x]     after tile(x; 8): true     after layout(A), which adds a statement and a buffer: false
//
// Buffers may differ in what says how loops run (lanes of a Local), which a schedule without realisations does not use.
//
// Invariant: kernels for which it holds have the same instances and the same accesses. It may be false where only the form of a
// set has changed.
#pragma once
#include "compiler/kernel/kernel.h"

namespace pbc::kernel {

bool computesAsBefore(const Kernel &before, const Kernel &after);

} // namespace pbc::kernel
