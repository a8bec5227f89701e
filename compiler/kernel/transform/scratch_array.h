// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes scratch memory of a variable of the body, of a private matrix, or of other scratch memory.
//
//   label y: band y: ... S0[x, y]: s[x, y] = A[x, y]; ... S1[x, y]: B[x, y] = s[x, y]
//   => withArray(kernel, {.buffer = s, .loops = {"y"}})
//   label y: band y: ... S0[x, y]: s[x, 0] = A[x, y]; ... S1[x, y]: B[x, y] = s[x, 0]      of w x 1 cells
//
// The memory has the smallest box around the cells that one step of the loops touches. The caller declares it, and knows that no step
// of the loops reads what another one has written.
#pragma once
#include "compiler/kernel/schedule.h"

namespace pbc::kernel {

struct ArrayRequest {
  int buffer = -1;
  std::vector<std::string>
      loops; // the labels, each around the next one, and around all statements that use the buffer
  /// Loops inside these, and around all these statements, too, each of whose iterations gets cells of its own.
  std::vector<std::string> each = {};
  /// By dimension of the buffer: cells that differ by a multiple of it are not needed at the same time. Empty: none.
  std::vector<std::optional<long>> moduli = {};
};

/// The order of the instances is the same one. The dependences are still those of the old memory (dependences.h finds the new ones).
Outcome withArray(const Scheduled &, const ArrayRequest &);

/// The kernel in which all iterations of the loops around scratch memory share it, as in printed text; the dependences are the
/// old ones.
Scheduled withOneMemory(const Scheduled &, int buffer);

} // namespace pbc::kernel
