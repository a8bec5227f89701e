// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Goes downhill from the best configuration at the full size until no single step is faster.
//
//   polish(tester, population, lastSize, deadline, random)   // what it finds joins the population
//
//   bestInTurns(tester, population, lastSize, deadline)      // who of them really is the fastest
//   polishInTurns(tester, duels, lastSize, deadline, random) // on from there, duel by duel
//
// Evolution leaves cut-offs where they happened to fall; this moves them one at a time.
// Invariant: the population's best never gets slower. Source: own (coordinate descent, techniques/local.cpp).
#pragma once
#include "tuner/strategy/duels.h"
#include "tuner/strategy/population.h"
#include "tuner/strategy/random.h"
#include "tuner/strategy/technique.h"

#include <optional>

namespace pbc::tuner {

/// Returns the number of steps that were faster.
int polish(Tester &, Population &, int size, const Deadline &, Random &);

/// Asks the technique again and again, as if the size had just begun, and polishes each time, until three
/// rounds in a row have brought nothing: one round ends where it happens to.
void goOn(Tester &, Population &, int size, Technique &, int mostMembers, const Deadline &, Random &);

/// The fastest of the five fastest members, which stay, by duels; nothing if none was measured.
std::optional<Configuration> bestInTurns(Tester &, Population &, int size, const Deadline &);

/// Downhill from the best one, in any order, by single steps and by what is taken around n/2, n/4 and n/8.
void polishInTurns(Tester &, Duels &, int size, const Deadline &, Random &);

} // namespace pbc::tuner
