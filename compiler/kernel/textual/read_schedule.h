// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads the lines of a kernel that say how it is cut into tasks and blocks.
//
//   task x in [0, w) by 256
//   tasks in rounds of the first
//   bytes per place: 24
//   block x, y of double, deep, panel S1 0 along y
#pragma once
#include "compiler/kernel/textual/fragments.h"

namespace pbc::kernel::textual {

class CutReader {
public:
  /// Reads such a line; false if the line is another one. The kernel has its statements already.
  bool read(Reader &, const Fragments &, Scheduled &);
  /// Once all lines are read: a dimension may name one that comes later.
  void finish(const Reader &, Schedule &) const;

private:
  std::vector<std::pair<std::size_t, Fragment>>
      along_; // the dimension of time of each task dimension that has one
};

} // namespace pbc::kernel::textual
