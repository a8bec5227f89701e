// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What must be true of a Grid and its alternatives, from the sets of Spaces alone: rules run only where all
// their regions are inside; pieces partition each computed matrix but for the cells that a guard refuses; an
// alternative gives each needed cell one value, that of the rule that it says; what others write there is
// marked as overwritten. Run after chooseGrids() in
// builds with verifiers.
#pragma once
#include "compiler/choice/grid.h"

namespace pbc::choice {

/// One sentence per violated invariant; nothing for sound choices.
std::vector<std::string> verify(const sema::Module &, const std::vector<Choices> &, const poly::Context &);

} // namespace pbc::choice
