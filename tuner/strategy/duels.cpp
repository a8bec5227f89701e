// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/duels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pbc::tuner {
namespace {

struct Bout {
  std::vector<double> bests, others; // seconds, in turns
  double lowest =
      std::numeric_limits<double>::infinity(); // ratio of the challenger to the slower of its neighbours

  void add(double before, double other, double after) {
    bests.push_back(std::sqrt(before * after));
    others.push_back(other);
    lowest = std::min(lowest, other / std::max(before, after));
  }
  std::size_t rounds() const { return bests.size(); }
  double ratio() const { return judgePairs(bests, others).ratio; }
};

bool hasLost(const Bout &bout, Care care) {
  constexpr double kFar = 0.2, kGain = 0.99, kHope = 0.98;
  const std::size_t fewest = care == Care::Sure ? 5 : 2, few = care == Care::Sure ? 7 : 4,
                    most = care == Care::Sure ? 15 : 9;
  const double ratio = bout.ratio();
  return bout.lowest > 1 + kFar / static_cast<double>(bout.rounds()) ||
         (bout.rounds() >= fewest && ratio > 1) || (bout.rounds() >= few && ratio > kGain) ||
         (bout.rounds() >= most && ratio > kHope) || bout.rounds() >= 2 * most;
}

bool hasWon(const Bout &bout, Care care) {
  constexpr std::ptrdiff_t kAgain = 5;
  if (care == Care::Sparing)
    return judgePairs(bout.bests, bout.others).faster;
  // Of a hundred challengers some win five rounds by chance; the advantage must be confirmed in five more.
  if (std::ssize(bout.bests) < 2 * kAgain || !judgePairs(bout.bests, bout.others).faster)
    return false;
  return judgePairs({bout.bests.end() - kAgain, bout.bests.end()},
                    {bout.others.end() - kAgain, bout.others.end()})
             .ratio < 1;
}

} // namespace

Duels::Duels(Tester &tester, Configuration best, int size, const Deadline &deadline, Care care)
    : tester_(tester), best_(std::move(best)), size_(size), deadline_(deadline), care_(care),
      turns_(tester, size, Results::Agreed), tried_{best_.key()} {}

bool Duels::takeBest() {
  const bool taken = turns_.take(best_, turnsOfBest_);
  measurements_ = taken ? tester_.measurements() : -1;
  return taken;
}

/// Whether the best was measured just before.
bool Duels::isBestKnown() const {
  const int kMoment = care_ == Care::Sure ? 0 : 3; // measurements
  return measurements_ >= 0 && tester_.measurements() - measurements_ <= kMoment;
}

bool Duels::isBeatenBy(const Configuration &challenger) {
  constexpr double kHopeless = 1.05;
  constexpr int kRound = 2;          // measurements
  constexpr int kRoundsOfInputs = 5; // rounds with the same inputs
  const long n = tester_.sizes()[static_cast<std::size_t>(size_)].n;
  if (!tried_.insert(challenger.key()).second || tester_.bans().uses(challenger, n) ||
      !tester_.mayGoOn(deadline_, kRound + 1))
    return false;
  turns_.beginRound();
  if (!isBestKnown() && !takeBest())
    return false;
  Candidate first{challenger, {}};
  if (!tester_.testNow(first, size_, turns_.runs(), best_))
    return false;
  std::vector<double> &runs = first.seconds[size_];
  std::vector<double> turns{*std::min_element(runs.begin(), runs.end())};
  if (care_ == Care::Sparing && turns.back() > kHopeless * turnsOfBest_.back())
    return false;
  Bout bout;
  for (;;) {
    const double before = turnsOfBest_.back();
    if (!takeBest())
      return false;
    bout.add(before, turns.back(), turnsOfBest_.back());
    if (hasWon(bout, care_))
      break;
    if (hasLost(bout, care_) || !tester_.mayGoOn(deadline_, kRound))
      return false;
    if (care_ == Care::Sure && bout.rounds() % kRoundsOfInputs == 0 && tester_.evaluator().renew() &&
        !takeBest())
      return false;
    turns_.beginRound();
    if (!turns_.take(challenger, turns))
      return false;
  }
  best_ = challenger;
  turnsOfBest_ = turns;
  measurements_ = -1;
  return true;
}

} // namespace pbc::tuner
