// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts values that a body has given names to in the places where it uses them.
//
//   label x: band x: alloc f: sequence { S0[x]: f[x] = L[x] / D[0] ; S1[x]: C[x] = C[x] - f[x] * U[x] }
//   => label x: band x: S1[x]: C[x] = C[x] - (L[x] / D[0]) * U[x]
//
// A name that is given once, in front of the only cell that its body writes, is no more than its value. What is computed for a cell is one
// expression then, which other steps can take as a whole (delay.h).
//
// Invariant: each cell gets the same value, and the order of cells is the same one.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// For all statements that write matrices, and whose variables have such values; the others stay as they are.
Scheduled withNamedValues(const Scheduled &);

} // namespace pbc::kernel
