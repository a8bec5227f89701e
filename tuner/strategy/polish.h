// Goes downhill from the best configuration at the full size until no single step is faster.
//
//   polish(tester, population, lastSize, deadline, random)   // what it finds joins the population
//
// Evolution leaves cut-offs where they happened to fall; this moves them one at a time.
// Invariant: the population's best never gets slower. Source: own (coordinate descent, techniques/local.cpp).
#pragma once
#include "tuner/strategy/deadline.h"
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

/// Downhill once more, first among the fastest members, then by single steps; each decision is taken in turns
/// (turns.h), for as many rounds as it needs. Times of one moment do not tell a tenth from times of another
/// where two threads take 0.95 ms in one second and 1.4 ms in the next. Returns where it ends, which is a
/// member; nothing if no member was measured.
std::optional<Configuration> polishInTurns(Tester &, Population &, int size, const Deadline &, Random &);

} // namespace pbc::tuner
