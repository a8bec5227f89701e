// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The final comparison: the best candidates run against the default at the full size, in turns of alternating
// order, with fresh measurements, in several processes. A candidate wins only if it is faster beyond chance;
// otherwise the default wins. A candidate replaces the previous winner only if it is faster than that one
// beyond chance, and then it must show it once more: in a new process, in the reverse order.
//
//   race(tester, {a, b, c}, size, ...)
//       ->  RaceResult { winner a, default 0.120 s, winner 0.031 s, 15 rounds }
//
// If time runs out before that, three rounds and one in a new process are enough for a candidate that needs
// less than half of the default's time. If there is no winner after 15 rounds, but some candidate is ahead or
// was much faster in the search, more rounds are spread over the next seconds.
//
// Every candidate has been examined before (Tester::sound), so none that is wrong at an odd size takes part.
// The winner is examined again after its many runs in one process, because some are right only at first.
//
// Invariant: the result is not slower than the default beyond noise (requirement 88). The times that chose
// the candidates are not used again, because choosing the least of them makes them too optimistic. Source:
// own; paired comparison, because machines get slower and faster while one measures.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

/// In a race that decides a tuning, undecided rounds may be spread over time; where many races follow one
/// another, none waits.
enum class Rounds { InARow, Spread };

/// Which one is kept if the default and the previous winner are equally fast: with another objective than
/// time, the previous one may be faster by far.
enum class Ties { Default, Previous };

struct RaceResult {
  Configuration winner;
  double defaultSeconds = 0; // medians of the race; 0 if it was not run
  double winnerSeconds = 0;
  double defaultUndisturbed = 0; // lower quartiles
  double winnerUndisturbed = 0;
  int rounds = 0;
  int measurements = 0;
  bool changed = false; // the winner is not the default
  /// Others were as fast as the previous winner within noise, or no longer faster when measured again.
  bool keptPrevious = false;
  bool isOneWrong = false;                       // a winner became wrong after many runs
  std::vector<double> defaultTimes, winnerTimes; // taken in turns
};

/// `candidates`: the best first; if the deadline leaves no time for the minimal number of rounds of all of
/// them, the last ones do not run. `previous`: the first candidate, which is kept unless another one is
/// faster beyond chance: the winner of an earlier tuning, or a simpler configuration.
RaceResult race(Tester &, const std::vector<Configuration> &candidates, int size, double deadline,
                const Configuration *previous = nullptr, Rounds = Rounds::InARow, Ties = Ties::Default);

} // namespace pbc::tuner
