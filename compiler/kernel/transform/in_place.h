// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Computes a variable of the body in the cell of the output to which its value goes at last.
//
//   S0[x]: s[x] = 0     S1[x, k]: s[x] += A[x, k]     S2[x]: B[x] = s[x]
//   => in_place(s)
//   S0[x]: B[x] = 0     S1[x, k]: B[x] += A[x, k]
//
// The variable is one for all points, so that the loops over the points must not be distributed or exchanged with those
// inside; the cells of the output are one for each point. `fission` needs that. It costs a load and a store for each step of
// a sum unless the compiler keeps the cell in a register.
//
// It applies if the last statement that uses the variable stores it unchanged, in a cell of its own for each point, and if
// nothing else touches that output.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation inPlaceTransformation();

} // namespace pbc::kernel
