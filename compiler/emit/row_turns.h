// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits the steps of a plan that take rows of a matrix in turn (kernel/row_turns.h): the order of the steps' table, in which they lie
// side by side, and the table of their turns that the runtime walks (runtime/abi/row_turns.h).
//
//   steps 0, 1, 2 of one level, of which 0 and 2 take turns   =>   0, 2, 1; pb_turns_0 of step 0 has two loops
#pragma once
#include "compiler/emit/parts.h"

namespace pbc::emit {

/// A plan's steps sorted by level: each level needs only earlier ones. Those that take turns follow each other.
struct StepsInOrder {
  std::vector<std::size_t> steps;
  std::vector<std::size_t> levelOf; // by step
  int loops = 0;                    // steps that are kernels
};

StepsInOrder inLevels(const schedule::Plan &, const std::vector<kernel::TurnGroup> &);

/// The kernel of the plan's step, or the one that is cut along rows.
const kernel::Scheduled &kernelOfTurn(const Scope &, std::size_t plan, const kernel::RowTurn &);

/// Names of functions in the unit.
struct TurnNames {
  std::string kernel, box;
};

/// The rows of the table of loops; and what is printed of them with `name` for the table of turns.
std::string rowTurnsRows(const kernel::TurnGroup &, const std::vector<TurnNames> &);
std::string rowTurnsTable(const Scope &, const kernel::TurnGroup &, const std::string &rows,
                          const std::string &name);

} // namespace pbc::emit
