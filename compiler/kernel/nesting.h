// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How the loops of a schedule lie in each other, in words: messages about a step list the loops that there are before it.
//
//   band y: band x: { S0 ; band k: S1 ; S2 }
//   => "`y` around `x` around (statements, then `k`, then statements)"
//   no loop => ""
//
// Invariant: each label of the schedule is named once, outer loops before inner ones and earlier ones before later ones.
#pragma once
#include "compiler/kernel/loops.h"

namespace pbc::kernel {

std::string nesting(const isl::schedule &);

} // namespace pbc::kernel
