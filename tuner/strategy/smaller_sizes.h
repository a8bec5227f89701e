// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Changes what the best configuration of the full size does at smaller ones, where another alternative is faster there.
//
//   best {n < 27570: QuarterSort, n < 110280: InsertionSort, else RadixSort}, found at n = 1048576
//   ->   {n < 600: InsertionSort, else RadixSort}
//
// A search that measures the full size alone leaves at smaller sizes what chance has put there, because the levels for
// them do not run. A user's next call may have any size. Size by size, each other alternative of each site is tried around that size, and
// duels decide. The small sizes come first: they take little time, and transforms that call themselves are built of them.
//
// Invariant: a change is at least a tenth faster at its size, and all together are at the full size as fast as before, as far as a few
// runs of both can tell; else the later half of them is given up, until they are. The final race decides about all of them.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

/// `size`: the index of the full size, at which `best` was measured.
Configuration goodAtSmallerSizes(Tester &, const Configuration &best, int size, const Deadline &);

} // namespace pbc::tuner
