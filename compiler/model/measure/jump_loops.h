// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops of nothing but jumps that are taken: a processor takes one or two of them in a cycle, and how many it takes may depend on how
// far apart they are.
//
//   {Jump, independent, 64 a round}   jumps over what is left of 16, 32 or 64 bytes of code; ends of iterations of short loops
//
// Invariant: which way a jump goes never changes, so that none is guessed wrongly; none leads to the instruction behind it.
#pragma once
#include "compiler/model/measure/resource_loops.h"

#include <vector>

namespace pbc::model {

/// None for processors whose jumps are not known here.
std::vector<ResourceLoop> jumpLoops();

} // namespace pbc::model
