// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the points of one item read in a round, in its registers: its own cells, which are neighbours along the first axis, from the group's memory
// (step_memory.h) in loads of 16 bytes; those to the left and right of them from the items beside it in the warp; and those above and below
// from the group's memory.
//
//   points that read their four neighbours, 4 x 4 of them for an item
//   =>  array S_window[6 * 6]
//       for line1 in [0, 6): for cell0 in [0, 4): S_window[line1 * 6 + 1 + cell0] = S_kept[...]
//       for line1 in [1, 5):
//         shuffle: S_window[line1 * 6] = S_window[line1 * 6 + 4] of the item before
//         shuffle: S_window[line1 * 6 + 5] = S_window[line1 * 6 + 1] of the next item
//
// An item reads 6 x 16 bytes of the group's memory and 8 registers of others, instead of 4 bytes 26 times.
//
// Invariant: cells that a point reads are right unless they lie outside of the group's places, where they have no meaning.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"

namespace pbc::loop {

class StepWindow {
public:
  StepWindow(const kernel::Scheduled &, int buffer);

  /// Whether all distances at which points read the buffer in the round before are known.
  bool exists() const { return exists_; }
  /// Whether items have lines of a warp's registers, and enough cells for what their neighbours read.
  static Expr isOfUse(const kernel::TimeSteps &);
  /// Declares and fills it.
  std::vector<NodePtr> fill() const;
  /// The cell so far away from the point at `cell0`, `cell1`, ...
  Expr cell(const std::vector<Expr> &away) const;
  /// Loops over all cells of the item, which define `cell0`, `place0`, `item0`, ...
  static NodePtr overCells(std::size_t axes, NodePtr body);

private:
  Expr length(std::size_t axis) const;
  Expr at(Expr index) const;
  Expr line() const;
  NodePtr overLines(bool onlyThoseBeside, NodePtr body) const;

  const kernel::TimeSteps &steps_;
  const kernel::Buffer &buffer_;
  bool exists_ = true, hasSides_ = false;
  std::vector<long> least_,
      most_; // by axis: how far away lines of cells are whose neighbours to the left and right are read
};

} // namespace pbc::loop
