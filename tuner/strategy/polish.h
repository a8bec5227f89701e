// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descends from the best configuration at the full size until no single step is faster.
//
//   polish(tester, population, lastSize, deadline, random)   // what it finds joins the population
//
//   bestInTurns(tester, population, lastSize, deadline)      // the one that is really the fastest
//   polishInTurns(tester, duels, lastSize, deadline, random) // descends from there, duel by duel
//
// Evolution leaves cut-offs at random positions; this moves them one at a time. Invariant: the population's
// best never gets slower. Source: own (coordinate descent, techniques/local.cpp).
#pragma once
#include "tuner/strategy/duels.h"
#include "tuner/strategy/population.h"
#include "tuner/strategy/random.h"
#include "tuner/strategy/technique.h"

#include <optional>

namespace pbc::tuner {

/// Returns the number of steps that were faster.
int polish(Tester &, Population &, int size, const Deadline &, Random &);

/// Restarts the technique again and again, as if the size had just begun, and polishes each time, until three
/// rounds in a row have found nothing: where one round ends is partly chance.
void goOn(Tester &, Population &, int size, Technique &, int mostMembers, const Deadline &, Random &);

/// The fastest of the five fastest members, found by duels; all five stay members. Nothing if none was
/// measured.
std::optional<Configuration> bestInTurns(Tester &, Population &, int size, const Deadline &);

/// Descends from the best one, in any order, by single steps and by changes of the alternative that is taken
/// around n/2, n/4 and n/8.
void polishInTurns(Tester &, Duels &, int size, const Deadline &, Random &);

} // namespace pbc::tuner
