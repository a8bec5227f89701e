// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Distributes loops over the statements and loops inside them, so that each gets loops of its own.
//
//   label x: band x: sequence { S0[x] ; S1[x, k]: label k: band k }
//   => (x, x2) = fission(x)
//   sequence { S0[x]: label x: band x ; S1[x, k]: label x2: band x: label k: band k }
//
// Afterwards the loops of a part can be ordered, tiled and realised without regard to the others; the loops around the sum
// of a matrix product can change places with the sum's own. The results are the labels of the loops around the first part,
// then those around the second part, and so on. Parts of which an earlier one needs what a later one computes in an earlier
// iteration stay in loops that they share (Allen and Kennedy, Automatic translation of Fortran programs to vector form, TOPLAS
// 1987); if all of them do, it does not apply.
//
// A variable of the rule's body is one variable for all points. If only one part uses it, it is declared there; if several
// do, it becomes an array with an element for each iteration of the loops, which `contract` undoes.
#pragma once
#include "compiler/kernel/transform/transformation.h"

namespace pbc::kernel {

Transformation fissionTransformation();

} // namespace pbc::kernel
