// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times of several configurations that can be compared, as they were taken in turns on a machine that others
// share.
//
//   Turns turns(tester, lastSize, Results::Unknown);
//   turns.beginRound();
//   turns.take(a, secondsOfA);  turns.take(b, secondsOfB);    // one more time of each
//
// A run that is shorter than the slice of time which another program gets is either whole or hit by all of
// it: where others are at work, single runs then only tell how often that was. Short runs make a turn
// together, of which the best counts: others only add to times, here 100 times what is measured. How short
// they are says the shortest of all, for the others may have been hit; and a turn in which all were hit goes
// on.
//
// Invariant: all turns of a round want as many runs, for the best of more is better. Remembered times do not
// count, and results that have not been looked at before are, in the first turn of each. Source: own.
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

enum class Results { Unknown, Agreed };

class Turns {
public:
  Turns(Tester &, int size, Results);

  void beginRound();
  /// Of each turn of this round.
  int runs() const { return wanted_; }
  /// Adds a time (s); false: the configuration was rejected, or the user wants to end.
  bool take(const Configuration &, std::vector<double> &seconds);
  /// A round of two, of which the other one begins than in the round before.
  bool roundOf(const Configuration &a, std::vector<double> &secondsOfA, const Configuration &b,
               std::vector<double> &secondsOfB);

private:
  Tester &tester_;
  const int size_;
  const Results results_;
  const double limit_; // seconds of a run
  double shortest_;    // run of anybody; 0: not known
  int wanted_ = 1;     // runs of a turn
};

} // namespace pbc::tuner
