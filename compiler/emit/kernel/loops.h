// The loops of a Kernel as C++, from isl's AST of its schedule tree; printed by us, statement by statement.
#pragma once
#include "compiler/emit/kernel/instance.h"

namespace pbc::emit {

/// The AST of the schedule; throws isl::exception past a budget.
isl::ast_node generate(const kernel::Kernel &);

/// The loops' text. `unitStride`: dimension 0 of every matrix has stride 1 and marks become pragmas.
std::string printLoops(const kernel::Kernel &, const isl::ast_node &, bool unitStride, Used &);

} // namespace pbc::emit
