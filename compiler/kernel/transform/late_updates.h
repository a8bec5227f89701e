// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which updates of cells can wait until a block of steps is over (delay.h).
//
//   for k: S[x, y, k]: C[x, y] = C[x, y] - C[k - 1, y] * C[x, k - 1]   k <= x, y
//   blocks of 4 steps from k = 1 on   =>   late: k = 1, 5, 9, ..; x, y >= k + 3
//                                          early: those of the cells with x or y < kt + 3, which steps of the block kt read
//                                          rest: those of other cells in the last block, if it has fewer steps
#pragma once
#include "compiler/kernel/loops.h"

namespace pbc::kernel {

/// A statement that gives a cell a new value in each step of a loop, made of the value before.
struct Update {
  int statement;
  unsigned dimension; // over which the loop runs
  long shift;         // the loop's value is the dimension and this
  int cell;           // the access that reads the value before; -1: `op` does
};

/// Those below the loop that use no variables of the body.
std::vector<Update> updatesIn(const Scheduled &, const LoopNode &);

/// Blocks of so many steps of a loop, from its first step on if that is a constant.
class StepBlocks {
public:
  StepBlocks(const Scheduled &, const LoopNode &, long steps);

  long steps() const { return steps_; }
  /// The first step of the block, as a function of the points.
  isl::union_pw_aff blockOf(const isl::union_pw_aff &step) const;
  /// The points that are in the first step of their block.
  isl::set begins(const isl::set &points, const Update &) const;
  /// { S[.., k, ..] -> late[.., first step of the block, ..] }
  isl::multi_aff firstStep(const isl::set &points, const Update &, const std::string &late) const;

private:
  long steps_, first_ = 0;
};

/// What becomes of the instances of an update.
struct UpdateParts {
  isl::set
      late; // in a statement of their own, once for all steps of a block, with the coordinates of its first step
  isl::set early;  // in the old order, before these
  isl::set rest;   // behind them: they could be late, but some steps of the block have none for their cell
  isl::map toLate; // from the points that could be late
};

/// `late`: the name of the new statement. An update is late only if no other point or statement needs what it writes, or is in its way,
/// in the same block.
UpdateParts partsOf(const Scheduled &, const Update &, const LoopNode &, const StepBlocks &,
                    const std::string &late);

/// { late[.., k, ..] -> S[.., k + steps, ..] }
isl::map stepsLater(const Statement &, const Update &, long steps, const std::string &late);

} // namespace pbc::kernel
