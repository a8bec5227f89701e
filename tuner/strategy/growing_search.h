// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The common loop of all strategies: candidates are tested at growing sizes, and those that are good at one
// size go on to the next.
//
//   growThroughSizes(tester, {default and others}, technique, {.deadline = 40}, random)
//       ->  Population, fastest at the last size first
//   pursue(situation, technique, deadline)    one size: asks, measures, tells
//
// Invariant: the default is tested at every size; a child that is not significantly faster than its parent
// does not join the population, except as a new start. Sizes double, so what was found for n/2 is used by
// recursive calls at n. Source: petabricks-hetero 7.2, requirements 78-82.
#pragma once
#include "tuner/strategy/technique.h"

namespace pbc::tuner {

struct GrowingSettings {
  Deadline deadline{40.0};
  int population = 10;
  int firstSize = 0; // index of the first size; smaller ones are left out
};

struct GrowingResult {
  Population population;
  int lastSize = 0; // the largest size at which its members were measured
};

GrowingResult growThroughSizes(Tester &, const std::vector<Configuration> &start, Technique &,
                               const GrowingSettings &, Random &);

/// Returns the number of proposals that became members.
int pursue(const Situation &, Technique &, const Deadline &, int mostMembers);

} // namespace pbc::tuner
