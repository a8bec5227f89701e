// Goes downhill from the best configuration at the full size until no single step is faster.
//
//   polish(tester, population, lastSize, deadline)   // what it finds joins the population
//
// Evolution leaves cut-offs where they happened to fall; this moves them one at a time.
// Invariant: the population's best never gets slower. Source: own (coordinate descent).
#pragma once
#include "tuner/strategy/population.h"

namespace pbc::tuner {

/// Returns the number of steps that were faster.
int polish(Tester &, Population &, int size, double deadline);

} // namespace pbc::tuner
