// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The best configuration of a size against one challenger after another, on a machine that is now fast and
// now slow: times of one moment do not tell a tenth from times of another where two threads take 0.95 ms in
// one second and 1.4 ms in the next.
//
//   Duels duels(tester, best, size, deadline, Care::Sure);
//   duels.isBeatenBy(a)   best a best                    a takes 1.3 times as long: false
//   duels.isBeatenBy(b)        b best b best b best ...  until it is clear: true, and b is the best one now
//
// Invariant: who wins has run between turns of the best one, each time compared with the mean of both, so
// that it does not matter whether the machine gets slower or faster meanwhile; and, where all is to be sure,
// with other inputs every five rounds, for a cut-off may fit the parts of one input only. A challenger whose
// results are wrong never wins. Source: own.
#pragma once
#include "tuner/strategy/deadline.h"
#include "tuner/strategy/turns.h"

#include <set>
#include <string>

namespace pbc::tuner {

/// Sure: of a hundred challengers that take as long, next to none wins; ten turns at least. Sparing: most
/// losers are seen in their first turn, beside one of the best that may be three measurements old, and few
/// turns are enough to win; for refreshes, which have a tenth of a tuning's measurements.
enum class Care { Sure, Sparing };

class Duels {
public:
  /// The best one's results have been looked at, at this size.
  Duels(Tester &, Configuration best, int size, const Deadline &, Care);

  const Configuration &best() const { return best_; }
  /// True: the challenger is the best one now. Who has lost to one does not beat a better one, and is not
  /// measured again.
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
