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
      : space_(space), tester_(tester), rivals_(rivals), deadline_(deadline),
        current_{Configuration::defaults(space), {}} {}

  /// The size that was reached.
  int run() {
    const int count = static_cast<int>(tester_.sizes().size());
    int reached = 0;
    for (int size = 0; size < count; ++size) {
      // The full size must be measured whatever the time: the race is there.
      if (size + 1 < count && !tester_.mayGoOn(deadline_))
        continue;
      if (tester_.evaluator().stopped())
        break;
      if (!tester_.test(current_, size, current_.configuration))
        continue;
      reached = size;
      moveCutoffs(size);
      if (size + 1 == count)
        atFullSize(size);
      tester_.observer().finished(tester_.sizes()[static_cast<std::size_t>(size)], tester_.measurements(),
                                  tester_.bestAt(size), tester_.defaultAt(size));
    }
    return reached;
  }

  const Candidate &current() const { return current_; }
  /// What it did not go on from, with numbers of another origin: to be mixed with, and in case that a
  /// disturbed run has decided.
  const std::vector<Candidate> &others() const { return others_; }

private:
  bool step(const Configuration &next, int size) {
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    if (!tester_.mayGoOn(deadline_) || next == current_.configuration || !tester_.isNew(next, size) ||
        tester_.bans().uses(next, n))
      return false;
    Candidate candidate{next, {}};
    if (!tester_.test(candidate, size, current_.configuration))
      return false;
    if (!tester_.beats(candidate, current_, size)) {
      beaten_ = std::move(candidate);
      return false;
    }
    beaten_ = std::exchange(current_, std::move(candidate));
    return true;
  }

  /// The alternatives of the levels below and above also around n, where their cut-offs are near.
  void moveCutoffs(int size) {
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    for (std::size_t site = 0; site < space_.sites.size(); ++site) {
      if (!current_.configuration.mayChangeSite(space_, static_cast<int>(site)))
        continue;
      const Selector selector = current_.configuration.selectors()[site];
      const int level = selector.levelOf(n);
      const auto tryUse = [&](int other, long low, long high) {
        const int use = selector.levels()[static_cast<std::size_t>(other)].use;
        return step(current_.configuration.withSelector(static_cast<int>(site),
                                                        selector.withRangeForced(low, high, use)),
                    size);
      };
      const bool isLowNear =
          level > 0 && static_cast<double>(n) <= kNear * static_cast<double>(selector.lowest(level));
      if (isLowNear && tryUse(level - 1, selector.lowest(level), bandEnd(n)))
        continue;
      const long below = selector.levels()[static_cast<std::size_t>(level)].below;
      if (below != kNoLimit && static_cast<double>(below) <= kNear * static_cast<double>(n))
        tryUse(level + 1, bandStart(n), below);
      // What was beyond the other machine's sizes nobody knows.
      if (below == kNoLimit && (isLowNear || size + 1 == static_cast<int>(tester_.sizes().size())))
        for (const int use : tester_.bans().allowed(space_, static_cast<int>(site)))
          step(current_.configuration.withSelector(
                   static_cast<int>(site),
                   current_.configuration.selectors()[site].withRangeForced(bandStart(n), kNoLimit, use)),
               size);
    }
  }

  void atFullSize(int size) {
    for (const Configuration &rival : rivals_)
      takeTunables(rival, size);
    const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
    for (std::size_t site = 0; site < space_.sites.size(); ++site)
      if (current_.configuration.mayChangeSite(space_, static_cast<int>(site)) &&
          !space_.isOpenFromOnly(space_.sites[site]))
        scaleCutoffs(static_cast<int>(site), n, size);
    for (std::size_t i = 0; i < space_.tunables.size(); ++i)
      if (current_.configuration.mayChange(space_, static_cast<int>(i), n))
        scaleTunable(static_cast<int>(i), n, size);
  }

  /// All numbers, or those of one transform, as somebody else has them: with one thread, any cut-off of tasks
  /// was as good as another, and here several of them have to go at once.
  void takeTunables(const Configuration &rival, int size) {
    const auto taken = [&](auto &&isMeant) {
      Configuration next = current_.configuration;
      for (std::size_t i = 0; i < space_.tunables.size(); ++i)
        if (const Tunable &tunable = space_.tunables[i];
            tunable.isOpen() && !tunable.forAccuracy && isMeant(tunable))
          next = next.withTunable(static_cast<int>(i), rival.tunables()[i]);
      return next;
    };
    beaten_.reset();
    step(taken([](const Tunable &) { return true; }), size);
    if (beaten_ && beaten_->measuredAt(size))
      others_.push_back(*beaten_);
    std::set<std::string> transforms;
    for (const Tunable &tunable : space_.tunables)
      if (transforms.insert(tunable.transform).second)
        step(taken([&](const Tunable &t) { return t.transform == tunable.transform; }), size);
  }

  /// Those that the sizes until now could not judge, and all of them more finely.
  void scaleCutoffs(int site, long n, int size) {
    const auto selectorNow = [&] {
      return current_.configuration.selectors()[static_cast<std::size_t>(site)];
    };
    for (int level = 0; level + 1 < static_cast<int>(selectorNow().levels().size()); ++level) {
      if (selectorNow().lowest(level) > n)
        break;
      const std::size_t levels = selectorNow().levels().size();
      for (const double factor : {0.7, 1.4}) {
        bool moved = false;
        while (selectorNow().levels().size() == levels) {
          const Selector selector = selectorNow();
          const long below = selector.levels()[static_cast<std::size_t>(level)].below;
          if (!step(current_.configuration.withSelector(
                        site, selector.withCutoff(level, std::lround(static_cast<double>(below) * factor))),
                    size))
            break;
          moved = true;
        }
        if (moved)
          break;
      }
    }
  }

  /// In one direction as long as it helps; if it does not, in the other.
  void scaleTunable(int index, long n, int size) {
    const Tunable &tunable = space_.tunables[static_cast<std::size_t>(index)];
    const double width = tunable.maximum - tunable.minimum;
    const double stepWidth = tunable.integer ? std::max(1.0, std::round(width / 16)) : width / 16;
    for (const bool up : {true, false}) {
      bool moved = false;
      for (;;) {
        const double value = current_.configuration.tunables()[static_cast<std::size_t>(index)];
        const double next = tunable.logarithmic ? (up ? std::max(2 * value, 1.0) : value / 2)
                                                : value + (up ? stepWidth : -stepWidth);
        if (!step(current_.configuration.withValueAt(space_, index, tunable.clamp(next), n), size))
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
  Candidate current_;
  std::optional<Candidate> beaten_; // of the last step that was measured
  std::vector<Candidate> others_;
};

/// The fastest few, and those of the rivals that are not known to be slower.
std::vector<Configuration> lastRunners(Tester &tester, Population &population,
                                       const std::vector<Configuration> &rivals, int size) {
  constexpr int kFastest = 3;
  constexpr double kKnown = 0.99;
  const long n = tester.sizes()[static_cast<std::size_t>(size)].n;
  population.removeBanned(tester, size);
  population.prune(size, kFastest);
  std::vector<Configuration> runners;
  for (const Candidate &member : population.members())
    runners.push_back(member.configuration);
  for (const Configuration &rival : rivals) {
    Candidate candidate{rival, {}};
    if (tester.bans().uses(rival, n) || std::find(runners.begin(), runners.end(), rival) != runners.end())
      continue;
    const Candidate *best = population.bestMeasured(size);
    if (best && (!tester.test(candidate, size, best->configuration) ||
                 judge(candidate.seconds[size], best->seconds.at(size), kGuessedDeviation, kKnown) ==
                     Verdict::Slower))
      continue;
    runners.push_back(rival);
  }
  return runners;
}

} // namespace

TuneResult refresh(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                   const std::vector<Configuration> &rivals, const TuneSettings &settings,
                   Evaluator &evaluator, Observer &observer) {
  constexpr double kSearch = 0.8; // of the time; the rest is the race's
  Tester tester(space, sizes, evaluator, observer, Tester::runsOf(settings.trials));
  const double start = evaluator.elapsed();
  observer.stage("moving what the other machine found");
  const Deadline untilRaced{start + kSearch * std::max(settings.deadline - start, 0.0),
                            settings.trials > 0 ? settings.trials : kUnlimitedTrials};
  Refresher refresher(space, tester, rivals, untilRaced);
  TuneResult result;
  result.best = Configuration::defaults(space);
  result.size = refresher.run();
  result.defaultSeconds = result.bestSeconds = tester.defaultAt(result.size);
  Population population;
  population.join(refresher.current());
  for (const Candidate &other : refresher.others())
    population.join(other);
  if (result.size + 1 == static_cast<int>(sizes.size()) && !evaluator.stopped()) {
    observer.stage("looking around");
    Random random(settings.seed);
    goOn(tester, population, result.size, *makeEvolution(0), settings.population, untilRaced, random);
  }
  if (!evaluator.stopped()) {
    observer.stage("final race against the stored configuration");
    const RaceResult last = race(tester, lastRunners(tester, population, rivals, result.size), result.size,
                                 settings.deadline, nullptr, Rounds::Spread);
    if (!evaluator.stopped())
      takeOver(last, result);
  }
  result.measurements = tester.measurements();
  result.faults = tester.bans().faults();
  return result;
}

} // namespace pbc::tuner
