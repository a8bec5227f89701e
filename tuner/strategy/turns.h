// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Takes times of several configurations in turns, so that they can be compared on a machine that is shared
// with other work.
//
//   Turns turns(tester, lastSize, Results::Unknown);
//   turns.beginRound();
//   turns.take(a, secondsOfA);  turns.take(b, secondsOfB);    // one more time of each
//
// A run that is shorter than the time slice of another program is either undisturbed or delayed by a whole
// slice: on a busy machine, single short runs only tell how often that happened. Therefore several short runs
// form a turn, and the best of them counts, because other work can only add to times; here a turn lasts 100
// times the shortest run. The shortest run of all configurations decides how short the runs are, because the
// others may have been delayed. A turn in which all runs were delayed is continued.
//
// Invariant: all turns of a round have the same number of runs, because the best of more runs is better.
// Recorded times do not count, and results that have not been checked before are checked in the first turn of
// each configuration. Source: own.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

enum class Results { Unknown, Agreed };

class Turns {
public:
  Turns(Tester &, int size, Results);

  void beginRound();
  /// The number of runs of each turn of this round.
  int runs() const { return wanted_; }
  /// Adds a time in seconds; false: the configuration was rejected, or the user wants to end.
  bool take(const Configuration &, std::vector<double> &seconds);
  /// A round of two configurations; the one that begins alternates from round to round.
  bool roundOf(const Configuration &a, std::vector<double> &secondsOfA, const Configuration &b,
               std::vector<double> &secondsOfB);

private:
  Tester &tester_;
  const int size_;
  const Results results_;
  const double limit_; // of a run
  double shortest_;    // shortest run of all configurations; 0: not known
  int wanted_ = 1;     // runs of a turn
};

} // namespace pbc::tuner
