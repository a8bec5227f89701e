// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds steps that read the same matrix and can take its rows in turn, so that it comes from memory once.
//
//   Q[i] = sum over j of A[j, i] P[j];  S[j] = sum over i of A[j, i] R[i]      two loops; A comes from memory for each of them
//   =>  for each block of rows of A:
//         the points i of Q in the block          step 0, limited along i
//         the terms i in the block of all S[j]    step 1, cut along i: S[j] = 0 comes with row 0, what follows the sums with row n
//
//   group: A; step 0 along its task dimension 0; step 1 along dimension 1 of a kernel that is cut there, too
//
// The loops of each step stay as they are; rows are those of the last dimension. Which rows a block has, and whether turns pay, the
// runtime decides by the sizes (runtime/abi/row_turns.h). Steps with turns are of one level of the plan, so that none of them needs
// another one.
//
// Invariant: where a step is cut, no dependence leads to an earlier row, and no value is kept from one row to the next but in matrices: the
// operations on each cell, and their order, stay what they were.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/schedule/plan.h"

namespace pbc::kernel {

struct RowTurn {
  int step = -1;
  int along = 0;   // the task dimension whose values are rows
  long offset = 0; // a row is this value plus so much
  long grain = 1;  // blocks are multiples of so many rows
  /// Where the points of the step go over all rows: its kernel, cut along these as well. Null: each row has points of its own.
  std::shared_ptr<const Scheduled> cut = {};
};

struct TurnGroup {
  int matrix;
  std::vector<RowTurn> turns; // in the plan's order
};

/// A step that reads a matrix as a whole, as others of its level do, and takes no turns with them.
struct NoTurn {
  int matrix, step;
  std::string why; // "it keeps values from row to row"
};

struct RowTurns {
  std::vector<TurnGroup> groups; // no step is in two of them
  std::vector<NoTurn> refused;
};

/// The groups of one plan; `kernels` are those of its steps, nothing for steps that call transforms.
RowTurns rowTurns(const schedule::Plan &, const std::vector<std::optional<Scheduled>> &kernels);

/// Lines about each group, as comments beside the kernels; "" if there is none.
std::string print(const sema::Transform &, const RowTurns &);

} // namespace pbc::kernel
