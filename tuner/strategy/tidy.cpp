// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/tidy.h"

#include "tuner/strategy/turns.h"

#include <algorithm>
#include <span>

namespace pbc::tuner {
namespace {

constexpr double kSame = 1.05;      // ratio that counts as equal, at sizes below the full one
constexpr int kStep = 2;            // every second size is compared
constexpr int kFewRuns = 3;         // of each, if there is no time for more
constexpr double kDeviation = 0.05; // of a run, assumed; it weighs as much as one run

class Tidier {
public:
  Tidier(Tester &tester, const Configuration &best, int size, const Deadline &deadline)
      : tester_(tester), defaults_(Configuration::defaults(tester.space())), best_(best), now_(best),
        size_(size), deadline_(deadline) {}

  Configuration run() {
    takeBackTunables();
    takeBackLevels();
    return now_;
  }

private:
  void takeBackTunables() {
    std::vector<int> changed;
    const auto &tunables = tester_.space().tunables;
    for (std::size_t i = 0; i < tunables.size(); ++i) // what does not run needs no measurement
      if (tunables[i].isOpen() && !now_.reaches(tester_.space(), tunables[i].reachedBy))
        now_ = now_.withTunable(static_cast<int>(i), defaults_.tunables()[i]);
    for (std::size_t i = 0; i < tunables.size(); ++i)
      if (tunables[i].isOpen() && !tunables[i].forAccuracy && now_.tunables()[i] != defaults_.tunables()[i])
        changed.push_back(static_cast<int>(i));
    takeBack(changed);
    if (!changed.empty() && now_.tunables() != defaults_.tunables())
      takeBackWithoutTime(changed);
  }

  /// If the time was over before the comparisons in turns, a few runs decide about all numbers at once. The result need
  /// not be as sure: the final race compares it with the best one.
  void takeBackWithoutTime(std::span<const int> changed) {
    constexpr double kMost = 0.5; // seconds that this may take
    if (tester_.mayGoOn(deadline_) || tester_.evaluator().stopped() ||
        2 * kFewRuns * tester_.bestAt(size_) > kMost)
      return;
    Configuration without = now_;
    for (const int i : changed)
      without = without.withTunable(i, defaults_.tunables()[static_cast<std::size_t>(i)]);
    if (without == now_ || tester_.bans().uses(without, tester_.sizes()[static_cast<std::size_t>(size_)].n))
      return;
    for (int size = size_ % kStep; size <= size_; size += kStep)
      if (!isAsFastInAFewRuns(without, size))
        return;
    now_ = without;
  }

  bool isAsFastInAFewRuns(const Configuration &configuration, int size) {
    Candidate best{best_, {}}, candidate{configuration, {}};
    for (int run = 0; run < kFewRuns; ++run)
      if (!tester_.test(best, size, 1, best_) || !tester_.test(candidate, size, 1, best_))
        return false;
    const auto fastest = [&](const Candidate &of) {
      const std::vector<double> &seconds = of.seconds.at(size);
      return *std::min_element(seconds.begin(), seconds.end());
    };
    constexpr double kAsFast = 1.02;
    return fastest(candidate) <= kAsFast * fastest(best);
  }

  /// Elements and size bins of one tunable are adjacent, and so are tunables of one transform.
  void takeBack(std::span<const int> changed) {
    if (changed.empty())
      return;
    Configuration without = now_;
    for (const int i : changed)
      without = without.withTunable(i, defaults_.tunables()[static_cast<std::size_t>(i)]);
    if (isAsGood(without)) {
      now_ = without;
    } else if (changed.size() > 1) {
      takeBack(changed.first(changed.size() / 2));
      takeBack(changed.subspan(changed.size() / 2));
    }
  }

  void takeBackLevels() {
    const auto &sites = tester_.space().sites;
    for (std::size_t site = 0; site < sites.size(); ++site) {
      const auto selector = [&] { return now_.selectors()[site]; };
      if (!sites[site].isOpen() || selector() == defaults_.selectors()[site])
        continue;
      for (int level = static_cast<int>(selector().levels().size()) - 2; level >= 0; --level)
        if (level + 1 < static_cast<int>(selector().levels().size())) // two levels may have become one
          if (const Configuration without =
                  now_.withSelector(static_cast<int>(site), selector().withoutLevel(level));
              isAsGood(without))
            now_ = without;
    }
  }

  bool isAsGood(const Configuration &configuration) {
    if (tester_.bans().uses(configuration, tester_.sizes()[static_cast<std::size_t>(size_)].n))
      return false;
    for (int size = size_ % kStep; size < size_; size += kStep)
      if (!isAsGoodAt(configuration, size))
        return false;
    return isAsFastInTurns(configuration);
  }

  /// At the full size it must be shown to be as fast, because on a noisy machine a difference of a tenth may
  /// not be visible.
  bool isAsFastInTurns(const Configuration &configuration) {
    constexpr std::size_t kFewest = 5, kMost = 25; // rounds
    constexpr double kAsFast = 1.02, kEqual = 1.01, kHopeless = 1.03;
    Candidate candidate{configuration, {}};
    if (!tester_.test(candidate, size_, best_))
      return false;
    Turns turns(tester_, size_, Results::Agreed);
    std::vector<double> bests, others;
    while (tester_.mayGoOn(deadline_)) {
      if (!turns.roundOf(best_, bests, configuration, others))
        return false;
      const Pairs pairs = judgePairs(bests, others);
      if (bests.size() >= kFewest && (pairs.clearlySlower || pairs.ratio > kHopeless))
        return false;
      if (pairs.most < kAsFast)
        return true;
      if (bests.size() >= kMost)
        return pairs.ratio < kEqual;
      if (bests.size() % kFewest == 0)
        tester_.evaluator().renew(); // other inputs
    }
    return false;
  }

  /// Both run again and in turns: the earlier times of the best were lucky, and the first runs at a size find
  /// cold caches.
  bool isAsGoodAt(const Configuration &configuration, int size) {
    constexpr int kRuns = 3, kMost = 12; // of each: at once, and in total
    Candidate best{best_, {}}, candidate{configuration, {}};
    for (int runs = kRuns; runs <= kMost; runs += kRuns) {
      if (!tester_.mayGoOn(deadline_) || !tester_.test(best, size, kRuns, best_) ||
          !tester_.test(candidate, size, kRuns, best_))
        return false;
      constexpr double kSure = 0.99; // it is asked many times
      if (judge(candidate.seconds[size], best.seconds[size], kDeviation, kSure) == Verdict::Slower)
        return false;
      if (candidate.at(size) <= kSame * best.at(size))
        return true;
    }
    return false;
  }

  Tester &tester_;
  const Configuration defaults_;
  const Configuration best_;
  Configuration now_;
  const int size_;
  const Deadline deadline_;
};

} // namespace

Configuration tidy(Tester &tester, const Configuration &best, int size, const Deadline &deadline) {
  return Tidier(tester, best, size, deadline).run();
}

} // namespace pbc::tuner
