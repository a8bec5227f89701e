// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/refresh.h"

#include "tuner/strategy/mutators.h"
#include "tuner/strategy/polish.h"
#include "tuner/strategy/techniques/techniques.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace pbc::tuner {
namespace {

constexpr double kNear = 8; // a cut-off further away than this factor is not expected to have moved here

class Refresher {
public:
  Refresher(const ProgramSpace &space, Tester &tester, const std::vector<Configuration> &rivals,
            const Deadline &deadline)
      : space_(space), tester_(tester), rivals_(rivals), deadline_(deadline) {}

  /// Goes through the sizes; returns the best configuration of the last one that was reached, or nothing.
  std::optional<Duels> run() {
    const int count = static_cast<int>(tester_.sizes().size());
    Configuration best = Configuration::defaults(space_);
    for (int size = 0; size < count; ++size) {
      // The full size must be measured in any case, because the race is at that size.
      if (size + 1 < count && !tester_.mayGoOn(deadline_))
        continue;
      if (tester_.evaluator().stopped())
        break;
      Candidate candidate{best, {}};
      if (!tester_.test(candidate, size, best))
        continue;
      reached_ = size;
      duels_.emplace(tester_, best, size, deadline_, Care::Sparing);
      moveCutoffs(size);
      if (size + 1 == count)
        atFullSize(size);
      best = duels_->best();
      tester_.observer().finished(tester_.sizes()[static_cast<std::size_t>(size)], tester_.measurements(),
                                  tester_.bestAt(size), tester_.defaultAt(size));
    }
    return duels_;
  }

  int reached() const { return reached_; }

private:
  const Configuration &current() const { return duels_->best(); }
  bool step(const Configuration &next) { return duels_->isBeatenBy(next); }

  /// Tries the alternatives of the levels below and above around n, where their cut-offs are near.
  void moveCutoffs(int size) {
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    for (std::size_t site = 0; site < space_.sites.size(); ++site) {
      if (!current().mayChangeSite(space_, static_cast<int>(site)))
        continue;
      const Selector selector = current().selectors()[site];
      const int level = selector.levelOf(n);
      const auto tryUse = [&](int other, long low, long high) {
        const int use = selector.levels()[static_cast<std::size_t>(other)].use;
        return step(current().withSelector(static_cast<int>(site), selector.withRangeForced(low, high, use)));
      };
      const bool isLowNear =
          level > 0 && static_cast<double>(n) <= kNear * static_cast<double>(selector.lowest(level));
      if (isLowNear && tryUse(level - 1, selector.lowest(level), bandEnd(n)))
        continue;
      const long below = selector.levels()[static_cast<std::size_t>(level)].below;
      if (below != kNoLimit && static_cast<double>(below) <= kNear * static_cast<double>(n))
        tryUse(level + 1, bandStart(n), below);
      // For sizes beyond those of the other machine nothing is known.
      if (below == kNoLimit && (isLowNear || size + 1 == static_cast<int>(tester_.sizes().size())))
        for (const int use : tester_.bans().allowed(space_, static_cast<int>(site)))
          step(current().withSelector(static_cast<int>(site), current().selectors()[site].withRangeForced(
                                                                  bandStart(n), kNoLimit, use)));
    }
  }

  void atFullSize(int size) {
    for (const Configuration &rival : rivals_) {
      step(rival);
      takeTunables(rival);
    }
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    for (std::size_t site = 0; site < space_.sites.size(); ++site)
      if (current().mayChangeSite(space_, static_cast<int>(site)) &&
          !space_.isOpenFromOnly(space_.sites[site]))
        scaleCutoffs(static_cast<int>(site), n);
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      if (current().mayChange(space_, static_cast<int>(i), n))
        scaleTunable(static_cast<int>(i), n);
  }

  /// Tries all numbers, or those of one transform, of another configuration: with one thread, any cut-off of
  /// tasks was as good as another, and here several of them have to change at once.
  void takeTunables(const Configuration &rival) {
    const auto taken = [&](auto &&isMeant) {
      Configuration next = current();
      for (std::size_t i = 0; i < space_.tunables.size(); ++i)
        if (const Tunable &tunable = space_.tunables[i];
            tunable.isOpen() && !tunable.forAccuracy && isMeant(tunable))
          next = next.withTunable(static_cast<int>(i), rival.tunables()[i]);
      return next;
    };
    step(taken([](const Tunable &) { return true; }));
    std::set<std::string> transforms;
    for (const Tunable &tunable : space_.tunables)
      if (transforms.insert(tunable.transform).second)
        step(taken([&](const Tunable &t) { return t.transform == tunable.transform; }));
  }

  /// Tries the cut-offs that the sizes until now could not judge, and all of them in finer steps.
  void scaleCutoffs(int site, long n) {
    const auto selectorNow = [&] { return current().selectors()[static_cast<std::size_t>(site)]; };
    for (int level = 0; level + 1 < static_cast<int>(selectorNow().levels().size()); ++level) {
      if (selectorNow().lowest(level) > n)
        break;
      const std::size_t levels = selectorNow().levels().size();
      for (const double factor : {0.7, 1.4}) {
        bool moved = false;
        while (selectorNow().levels().size() == levels) {
          const Selector selector = selectorNow();
          const long below = selector.levels()[static_cast<std::size_t>(level)].below;
          if (!step(current().withSelector(
                  site, selector.withCutoff(level, std::lround(static_cast<double>(below) * factor)))))
            break;
          moved = true;
        }
        if (moved)
          break;
      }
    }
  }

  /// Scales in one direction as long as it helps; if it does not, in the other.
  void scaleTunable(int index, long n) {
    const Tunable &tunable = space_.tunables[static_cast<std::size_t>(index)];
    const double width = tunable.maximum - tunable.minimum;
    const double stepWidth = tunable.integer ? std::max(1.0, std::round(width / 16)) : width / 16;
    for (const bool up : {true, false}) {
      bool moved = false;
      for (;;) {
        const double value = current().tunables()[static_cast<std::size_t>(index)];
        const double next = tunable.logarithmic ? (up ? std::max(2 * value, 1.0) : value / 2)
                                                : value + (up ? stepWidth : -stepWidth);
        if (!step(current().withValueAt(space_, index, tunable.clamp(next), n)))
          break;
        moved = true;
      }
      if (moved)
        return;
    }
  }

  const ProgramSpace &space_;
  Tester &tester_;
  const std::vector<Configuration> &rivals_;
  const Deadline deadline_;
  std::optional<Duels> duels_; // of this size
  int reached_ = 0;
};

/// Searches beyond single steps.
void lookAround(Tester &tester, Duels &duels, int size, int mostMembers, const Deadline &deadline,
                Random &random) {
  constexpr double kSearch = 0.8; // of the remaining time; the rest is for the duels
  Population population;
  Candidate best{duels.best(), {}};
  if (!tester.mayGoOn(deadline) || !tester.test(best, size, best.configuration))
    return;
  population.join(best);
  goOn(tester, population, size, *makeEvolution(0), mostMembers, part(deadline, kSearch, tester.spent()),
       random);
  for (const Candidate &member : population.members())
    duels.isBeatenBy(member.configuration);
}

} // namespace

TuneResult refresh(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                   const std::vector<Configuration> &rivals, const TuneSettings &settings,
                   Evaluator &evaluator, Observer &observer) {
  constexpr double kSearch = 0.8; // of the time; the rest is for the race
  Tester tester(space, sizes, evaluator, observer, Tester::runsOf(settings.trials, settings.deadline));
  const double start = evaluator.elapsed();
  observer.stage("moving what the other machine found");
  const Deadline untilRaced{start + kSearch * std::max(settings.deadline - start, 0.0),
                            settings.trials > 0 ? settings.trials : kUnlimitedTrials};
  Refresher refresher(space, tester, rivals, untilRaced);
  TuneResult result;
  result.best = Configuration::defaults(space);
  std::optional<Duels> duels = refresher.run();
  result.size = refresher.reached();
  result.defaultSeconds = result.bestSeconds = tester.defaultAt(result.size);
  if (duels && result.size + 1 == static_cast<int>(sizes.size()) && !evaluator.stopped()) {
    observer.stage("looking around");
    Random random(settings.seed);
    polishInTurns(tester, *duels, result.size, untilRaced, random);
    lookAround(tester, *duels, result.size, settings.population, untilRaced, random);
  }
  int ofRace = 0;
  if (duels && !evaluator.stopped()) {
    observer.stage("final race against the stored configuration");
    // If measurements are counted, the race also needs only few.
    const RaceResult last = race(tester, {duels->best()}, result.size, settings.deadline, nullptr,
                                 settings.trials > 0 ? Rounds::InARow : Rounds::Spread);
    ofRace = last.measurements;
    if (!evaluator.stopped())
      takeOver(last, result);
  }
  result.measurements = tester.measurements() - ofRace;
  result.faults = tester.bans().faults();
  return result;
}

} // namespace pbc::tuner
