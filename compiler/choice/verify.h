// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks a Grid and its alternatives, using only the sets of Spaces: rules run only where all their regions
// are inside; pieces partition each computed matrix except for the cells that a guard refuses; an alternative
// gives each needed cell one value, from the rule that it names; cells that other rules write as well are
// marked as overwritten. Runs after chooseGrids() in builds with verifiers.
#pragma once
#include "compiler/choice/grid.h"

namespace pbc::choice {

/// One sentence per violated invariant; nothing for sound choices.
std::vector<std::string> verify(const sema::Module &, const std::vector<Choices> &, const poly::Context &);

} // namespace pbc::choice
