// The last word: the best candidates run against the default at the full size, turn by turn in alternating
// order, with fresh measurements. Only who is faster beyond chance wins; otherwise the default does.
//
//   race(tester, {a, b, c}, size, ...)  ->  RaceResult { winner a, default 0.120 s, winner 0.031 s, 15 rounds
//   }
//
// Who runs has been examined before (Tester::sound): whoever is wrong at an odd size is not there.
//
// Invariant: the result is not slower than the default beyond noise (requirement 88). The times that chose
// the candidates are not used again: they are lucky ones by construction. Source: own; paired comparison,
// because machines get slower and faster while one measures.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

struct RaceResult {
  Configuration winner;
  double defaultSeconds = 0; // medians of the race; 0 if it was not run
  double winnerSeconds = 0;
  double defaultUndisturbed = 0; // lower quartiles
  double winnerUndisturbed = 0;
  int rounds = 0;
  bool changed = false; // the winner is not the default
};

RaceResult race(Tester &, const std::vector<Configuration> &candidates, int size, double deadline);

} // namespace pbc::tuner
