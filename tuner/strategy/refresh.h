// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a configuration that was found on another machine to one for this one, in few trials: which
// alternatives are good together has been found already; where one should give way to the next has moved.
//
//   refresh(space, sizes, {program's default}, {.deadline = 6}, evaluator, observer)
//     stored {n<341: Insertion, n<65536: Quick, else Merge}
//     at n = 512: Insertion here, too?  Merge here already?  ... at each size, beside the cut-offs near it
//     at the full size: its rivals and their tunables; each cut-off and each size-like tunable x 2, x 1/2, as
//     long as it gets faster; then any single step, then mutations for what is left
//   ->  {n<1365: Insertion, n<43690: Quick, else Merge}
//
// The stored configuration is the space's initial one (Configuration::defaults). What isFixed stays.
// Invariant: the result is not slower than the stored configuration beyond noise: it wins a race or is not
// taken. Source: own; the bar is 95 % of a full tuning with a tenth of its trials.
#pragma once
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

/// `rivals` lend their tunables, and may be the best here: the program's default, and the best few of
/// elsewhere.
TuneResult refresh(const ProgramSpace &, const std::vector<TestSize> &,
                   const std::vector<Configuration> &rivals, const TuneSettings &, Evaluator &, Observer &);

} // namespace pbc::tuner
