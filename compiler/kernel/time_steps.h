// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is known of a kernel in rounds whose groups of work-items compute several rounds in one launch (group_steps.h).
//
//   T[i, k mod 2] from T[i - 1, (k - 1) mod 2], T[i + 1, (k - 1) mod 2]    rounds k, items i
//   => kept { T }, reads { (S0, access 1, behind 1, away 1), (S0, access 2, behind 1, away -1) }, reach { 1 }, slots 2
//
// A group keeps, for each matrix of `kept`, the cells that its items have written in this round and in the one before. Invariant: a
// read that is listed has its value from the point that lies `behind` rounds before and `away` before along each axis of the items.
#pragma once
#include "compiler/poly/poly.h"
#include <vector>

namespace pbc::kernel {

struct TimeSteps {
  struct Read {
    int statement, access;
    int behind;                    // 0 or 1 rounds
    std::vector<isl::pw_aff> away; // by axis, over the statement's domain
  };
  std::vector<int> kept; // buffers
  std::vector<Read> reads;
  std::vector<long> reach; // by axis: how far a round reads, at most
  /// The cell of a round is written again after so many rounds, so that only the last round of a launch is stored; 0: never, and
  /// each round is stored.
  long slots = 0;
  /// So many last rounds must be launched one by one, since others read what each of them has left.
  long alone = 0;
};

} // namespace pbc::kernel
