// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the loops of a Kernel as C++, from isl's AST of its schedule tree, statement by statement.
#pragma once
#include "compiler/emit/kernel/instance.h"

namespace pbc::emit {

/// The AST of the schedule; throws isl::exception if it exceeds a budget.
isl::ast_node generate(const kernel::Scheduled &);

/// The place of a kernel's loops in the emitted code.
struct Place {
  std::string function;                    // its name
  std::string frameType;                   // of its first parameter
  bool unitStride;                         // dimension 0 of every matrix has stride 1, and marks are obeyed
  bool mayShareViews;                      // an output may be the very same view as an input
  bool onDevice = false;                   // bodies are called in their device version
  std::vector<std::string> iterators = {}; // of the enclosing loops
};

struct LoopText {
  std::string types; // type definitions before the function
  std::string loops;
};

LoopText printLoops(const kernel::Scheduled &, const isl::ast_node &, Place, Used &);

/// Declarations of the names that the loops use, from the frame `f` and the limits `low` and `high`.
std::string definitions(const kernel::Scheduled &, bool unitStride, const Used &);

} // namespace pbc::emit
