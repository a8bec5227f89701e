// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands of one launch: one, or one for each round of its points, each box that has points, or each diagonal of their
// tiles.
//
//   box x, y in [0, 4) x [0, 6)                    1 command
//   in rounds of y                                 6 commands, from1 = y, to1 = y + 1
//   points at the edge of a box                    4 commands, one for each side
//   one cell, 3 groups with parts of its steps     2 commands, passes 1 and 2 (teams.h)
//   9 rounds, 5 at most together, 2 slots          3 commands of 3 rounds each, never an even number
//   the same, and the last round is read alone     3 commands: rounds 0 to 4, 5 to 7, and 8
//   8 rows in blocks of 4, of another kernel each  4 commands: start, finish 0 to 3, update 4 to 7, finish 4 to 7 (launch_rows.h)
//   in tiles of 2 x 3 points                       3 commands: tile (0, 0); (1, 0) and (0, 1); (1, 1)
//
// Commands of one kernel differ only in their last few arguments. For tiles, the position along the last function
// follows from the diagonal and the other positions; along these a command computes the tiles from `first` on
// that exist.
#pragma once
#include "runtime/device/manager.h"
#include <vector>

namespace pb::device {

class LaunchRounds {
public:
  /// Appends the arguments that change from command to command to `arguments`. `scratch`: a buffer for
  /// partial results of cells; if there are none, any buffer that is written.
  LaunchRounds(const Launch &, std::vector<Argument> &arguments, Buffer *scratch);
  long count() const { return count_; }
  /// The arguments and the work-items of command number `round`.
  Grid prepare(long round, std::vector<Argument> &arguments) const;

private:
  /// The rounds of each command, if one may have several.
  void findTogether();
  long tilesAlong(int d) const;
  Grid prepareRows(const RowsLaunch::Command &, std::vector<Argument> &arguments) const;
  Grid gridOfSteps(long count) const;

  const Launch &launch_;
  std::size_t limits_;       // their position among the arguments
  std::vector<long> begins_; // where commands begin, if they have several rounds; and the end of the last one
  long count_ = 1;
};

} // namespace pb::device
