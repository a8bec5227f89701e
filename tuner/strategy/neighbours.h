// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configurations one deliberate step away from a given one. Random mutation would find them too, but
// later; these are the steps that pay most often.
//
//   forcedAlternatives(space)          {default, each alternative of each site at all sizes}
//   topLevelChanges(best, n = 4096)    for each site, each other alternative from 2n/3 on; all threads, one
//   bandChanges(best, m = 512)         the same between 2m/3 and 4m/3 only
//   changesBelow(best, m = 512)        the same for all sizes below 4m/3
//   neighbours(best, n)                for polishing: all of these, cut-offs x 1/2, 0.7, 1.4, 2, each level's
//                                      alternatives, each level removed, tunables x 1/2, 2 or one step
//
// Invariant: every result fits the space and differs from the argument. Source: own; with the growing sizes
// of petabricks-hetero 7.2 the top level is the one that is not yet decided.
#pragma once
#include "tuner/strategy/bans.h"

namespace pbc::tuner {

std::vector<Configuration> forcedAlternatives(const ProgramSpace &);
std::vector<Configuration> topLevelChanges(const ProgramSpace &, const Bans &, const Configuration &, long n);
std::vector<Configuration> bandChanges(const ProgramSpace &, const Bans &, const Configuration &, long m);
std::vector<Configuration> changesBelow(const ProgramSpace &, const Bans &, const Configuration &, long m);
std::vector<Configuration> neighbours(const ProgramSpace &, const Bans &, const Configuration &, long n);

} // namespace pbc::tuner
