// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the best configuration of a size with one challenger after another, on a machine whose speed
// varies: where two threads take 0.95 ms in one second and 1.4 ms in the next, times from different moments
// cannot show a difference of a tenth.
//
//   Duels duels(tester, best, size, deadline, Care::Sure);
//   duels.isBeatenBy(a)   best a best                    a takes 1.3 times as long: false
//   duels.isBeatenBy(b)        best b best b best ...    until it is clear: true, and b is the best one now
//
// Invariant: a challenger that wins has run between turns of the best one, each of its times compared with
// the mean of both neighbours, so that it does not matter whether the machine gets slower or faster
// meanwhile. With Care::Sure, the inputs change every five rounds, because a cut-off may fit the parts of one
// input only. A challenger whose results are wrong never wins. Source: own.
#pragma once
#include "tuner/strategy/deadline.h"
#include "tuner/strategy/turns.h"

#include <set>
#include <string>

namespace pbc::tuner {

/// Sure: among a hundred challengers that are not faster, almost none wins; at least ten turns. Sparing: most
/// losers are recognised in their first turn, beside a turn of the best that may be three measurements old,
/// and few turns are enough to win; this is for refreshes, which have a tenth of a tuning's measurements.
enum class Care { Sure, Sparing };

class Duels {
public:
  /// The results of `best` must have been checked at this size.
  Duels(Tester &, Configuration best, int size, const Deadline &, Care);

  const Configuration &best() const { return best_; }
  /// True: the challenger is the best one now. A configuration that has lost to an earlier best one would
  /// lose to a better one, too, and is not measured again.
  bool isBeatenBy(const Configuration &challenger);

private:
  bool takeBest();
  bool isBestKnown() const;

  Tester &tester_;
  Configuration best_;
  const int size_;
  const Deadline deadline_;
  const Care care_;
  Turns turns_;
  std::vector<double> turnsOfBest_;
  int measurements_ = -1; // of the tester, after the last turn of the best
  std::set<std::string> tried_;
};

} // namespace pbc::tuner
