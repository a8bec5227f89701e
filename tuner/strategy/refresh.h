// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Adapts a configuration that was found on another machine to this one, in few trials: it already says which
// alternatives are good together, but the cut-offs between them have moved.
//
//   refresh(space, sizes, {program's default}, {.deadline = 6}, evaluator, observer)
//     stored {n<341: Insertion, n<65536: Quick, else Merge}
//     at n = 512: try Insertion here, too; try Merge here already; ... at each size, near its cut-offs
//     at the full size: its rivals and their tunables; each cut-off and each size-like tunable x 2, x 1/2, as
//     long as it gets faster; then any single step; then mutations in the remaining time
//   ->  {n<1365: Insertion, n<43690: Quick, else Merge}
//
// The stored configuration is the space's initial one (Configuration::defaults). What isFixed stays.
// Invariant: the result is not slower than the stored configuration beyond noise: it is taken only if it wins
// a race. Source: own; the goal is 95 % of a full tuning with a tenth of its trials.
#pragma once
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

/// `rivals` are other configurations whose tunables are tried, and which may be the best here: the program's
/// default, and the best few from elsewhere.
TuneResult refresh(const ProgramSpace &, const std::vector<TestSize> &,
                   const std::vector<Configuration> &rivals, const TuneSettings &, Evaluator &, Observer &);

} // namespace pbc::tuner
