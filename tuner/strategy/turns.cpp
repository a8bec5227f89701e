// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/turns.h"

#include <algorithm>
#include <numeric>

namespace pbc::tuner {

Turns::Turns(Tester &tester, int size, Results results)
    : tester_(tester), size_(size), results_(results), limit_(std::max(10 * tester.defaultAt(size), 1.0)),
      shortest_(tester.shortestAt(size)) {}

void Turns::beginRound() {
  constexpr double kTurn = 0.005, kSlice = 0.05; // seconds
  constexpr double kFewestRuns = 3, kMostRuns = 15;
  wanted_ = shortest_ > 0 && shortest_ < kSlice
                ? static_cast<int>(std::clamp(kTurn / shortest_, kFewestRuns, kMostRuns))
                : 1;
}

bool Turns::take(const Configuration &configuration, std::vector<double> &seconds) {
  constexpr int kFirst = 5, kMostTurns = 4; // runs at once while little is known; times the runs wanted
  constexpr double kMost = 1, kHit = 2;     // seconds of a turn; times what a run takes by itself
  constexpr std::size_t kKnown = 2;         // turns after which a configuration's own time is known
  double expected = shortest_;
  if (seconds.size() >= kKnown)
    expected = *std::min_element(seconds.begin(), seconds.end());
  double best = 0, sum = 0;
  for (int done = 0;
       done == 0 || done < (wanted_ > 1 && best > kHit * expected ? kMostTurns * wanted_ : wanted_);) {
    const int runs = seconds.empty() ? std::min(kFirst, wanted_) : wanted_;
    const Measurement result = tester_.measure(
        {configuration, size_, runs, limit_, true,
         results_ == Results::Agreed || !seconds.empty() ? Compared::Nothing : Compared::First});
    if (result.rejected)
      tester_.noteFailure(configuration, size_, *result.rejected);
    if (result.seconds.empty() || result.rejected)
      return false;
    const double shortest = *std::min_element(result.seconds.begin(), result.seconds.end());
    best = done ? std::min(best, shortest) : shortest;
    sum = std::accumulate(result.seconds.begin(), result.seconds.end(), sum);
    done += runs;
    if (sum > (best < kHit * expected ? kHit * wanted_ * best : kMost))
      break;
  }
  shortest_ = shortest_ > 0 ? std::min(shortest_, best) : best;
  seconds.push_back(best);
  return true;
}

bool Turns::roundOf(const Configuration &a, std::vector<double> &secondsOfA, const Configuration &b,
                    std::vector<double> &secondsOfB) {
  beginRound();
  if (secondsOfA.size() % 2 == 0)
    return take(a, secondsOfA) && take(b, secondsOfB);
  return take(b, secondsOfB) && take(a, secondsOfA);
}

} // namespace pbc::tuner
