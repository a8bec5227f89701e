// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the lines of a kernel that say what it computes.
//
//   buffer A double 2-d input
//   S0[y, x]: C[x, y] = A[x, y] + 1.0
//     { S0[y, x] : 0 <= y < h and 0 <= x < w }
//   S1[y; k] of rule 2: call body(out C[0, y], A[0 : k, y]) with n
//     { ... }
#pragma once
#include "compiler/kernel/textual/fragments.h"

namespace pbc::kernel::textual {

/// A line that begins with `buffer`, which was read already.
void readBuffer(Reader &, const Fragments &, Kernel &);
/// A statement and the line of its domain.
void readStatement(Reader &, const Fragments &, Kernel &);

} // namespace pbc::kernel::textual
