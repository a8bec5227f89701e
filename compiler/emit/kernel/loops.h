// The loops of a Kernel as C++, from isl's AST of its schedule tree; printed by us, statement by statement.
#pragma once
#include "compiler/emit/kernel/instance.h"

namespace pbc::emit {

/// isl's AST and, for each statement instance in it, where it keeps Locals.
struct LoopNest {
  isl::ast_node root;
  struct Instance {
    int statement;
    std::map<int, std::vector<isl::ast_expr>> localIndices; // per access to an array
  };
  std::vector<Instance> instances; // user nodes carry an index into this
};

/// The AST of the schedule; throws isl::exception past a budget.
LoopNest generate(const kernel::Kernel &);

/// The loops' text. `unitStride`: dimension 0 of every matrix has stride 1 and marks become pragmas.
std::string printLoops(const kernel::Kernel &, const LoopNest &, bool unitStride, Used &);

} // namespace pbc::emit
