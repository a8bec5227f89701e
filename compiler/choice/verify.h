// What must be true of a Grid and its alternatives, from the sets of Spaces alone: rules run only where all
// their regions are inside; pieces partition each computed matrix but for the cells that a guard refuses; an
// alternative writes each needed cell exactly once, with the rule that it says. Run after chooseGrids() in
// builds with verifiers.
#pragma once
#include "compiler/choice/grid.h"

namespace pbc::choice {

/// One sentence per violated invariant; nothing for sound choices.
std::vector<std::string> verify(const sema::Module &, const std::vector<Choices> &, const poly::Context &);

} // namespace pbc::choice
