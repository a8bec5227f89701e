// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Puts instructions in front of loops that do not change them.
//
//   100 times { load r0; r1 += r0 }, { instruction 0: loop 0 }      =>   load r0; 100 times { r1 += r0 }
//
// Invariant: the loops are the same, without these instructions; one that has none left begins where it ends.
#pragma once
#include "compiler/emulate/trace.h"
#include <map>

namespace pbc::emulate {

/// `hoisted`: the place of the loop in front of which each instruction is to stand. Returns the new places of all instructions.
std::vector<int> hoist(Trace &, const std::map<int, int> &hoisted);

} // namespace pbc::emulate
