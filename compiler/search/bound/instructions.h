// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many instructions the operations of a partly decided nest are, at least.
//
//   4096 multiplications of doubles in a loop of vectors of twelve, with eight lanes: 4096 / 6, since twelve are two instructions
//
// An instruction does operations of one iteration of the loops around, which are `rolled`: those of the copies of the body that vectors and
// loops written out make, as many as it has lanes.
#pragma once
#include "compiler/search/bound/term.h"

namespace pbc::search {

struct Instructions {
  double additions = 0, multiplications = 0;
};
Instructions leastInstructions(const TermInput &, Number);

} // namespace pbc::search
