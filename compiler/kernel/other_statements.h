// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel with some of the statements of another one, in the order of that one's loops.
//
//   band -x: sequence { S0[x]; S1[x; k]: band k; S2[x] }   with S0[x] and S2[x] for even x
//   => band -x: sequence { S0[x]; S2[x] }                   upwards: band x: sequence { S0[x]; S2[x] }, if no dependence prevents it
//
// A statement has the name of the one whose place in the tree it takes, and as many dimensions; its instances may be other ones.
//
// Invariant: dependences are those of the order before, and the order afterwards respects all of them.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

/// Upwards: each loop over a dimension goes up where that is legal, so that blocks of points need no loop over a direction that went down.
enum class InOrder { OfKernel, Upwards };

/// `before`: with the buffers and the context that the new kernel has.
Scheduled withStatements(const Scheduled &before, std::vector<Statement> statements, InOrder order);

} // namespace pbc::kernel
