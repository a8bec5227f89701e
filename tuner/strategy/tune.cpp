// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/tune.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/polish.h"
#include "tuner/strategy/smaller_sizes.h"
#include "tuner/strategy/tidy.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace pbc::tuner {
namespace {

// Parts of the time; the rest is for the race.
constexpr double kSearch = 0.45, kPolish = 0.15, kFastest = 0.03, kSmaller = 0.06, kTidy = 0.07,
                 kInTurns = 0.1;

/// The result if the user ends the tuning before the race.
void takeBestSoFar(const Tester &tester, Population &population, TuneResult &result) {
  result.defaultSeconds = result.bestSeconds = tester.defaultAt(result.size);
  const Configuration defaults = Configuration::defaults(tester.space());
  const auto &members = population.members();
  const auto byDefault = std::find_if(members.begin(), members.end(),
                                      [&](const Candidate &c) { return c.configuration == defaults; });
  const Candidate *best = population.bestMeasured(result.size);
  if (!best || best->configuration == defaults)
    return;
  const std::vector<double> reference = byDefault != members.end() && byDefault->measuredAt(result.size)
                                            ? byDefault->seconds.at(result.size)
                                            : std::vector<double>{tester.defaultAt(result.size)};
  if (judge(best->seconds.at(result.size), reference) != Verdict::Faster)
    return;
  result.best = best->configuration;
  result.bestSeconds = best->at(result.size);
  result.changed = true;
}

/// The candidates of the race: earlier results, those found by the closest comparisons, and the fastest ones.
std::vector<Configuration> runnersOf(const Tester &tester, const Population &population,
                                     const std::vector<Configuration> &earlier,
                                     const std::vector<Configuration> &closest, int size) {
  constexpr std::size_t kRunners = 3; // in addition to earlier results
  std::vector<Configuration> runners;
  for (const std::vector<Configuration> *all : {&earlier, &closest})
    for (const Configuration &configuration : *all)
      if (!tester.bans().uses(configuration, tester.sizes()[static_cast<std::size_t>(size)].n) &&
          std::find(runners.begin(), runners.end(), configuration) == runners.end())
        runners.push_back(configuration);
  for (const Candidate &member : population.members())
    if (runners.size() < kRunners + earlier.size() && member.measuredAt(size) &&
        std::find(runners.begin(), runners.end(), member.configuration) == runners.end())
      runners.push_back(member.configuration);
  return runners;
}

/// If the winner was wrong, everything that was found may be derived from it, so each alternative alone runs
/// again.
void startOver(Tester &tester, Population &population, int size, int most) {
  population.removeBanned(tester, size);
  const Configuration defaults = Configuration::defaults(tester.space());
  for (const Configuration &alone : forcedAlternatives(tester.space())) {
    Candidate candidate{alone, {}};
    if (!tester.bans().uses(alone, tester.sizes()[static_cast<std::size_t>(size)].n) &&
        tester.test(candidate, size, defaults))
      population.join(std::move(candidate));
  }
  population.prune(size, most);
}

/// Runs the steps after the search that compare in turns; returns what each has found, the last one's result
/// first.
std::vector<Configuration> stepsInTurns(Tester &tester, Population &population, int size, double deadline,
                                        bool isPolished, Random &random) {
  double left = 1 - kSearch - kPolish; // of the time, if all of it had been used until now
  const auto until = [&](double share) {
    return part({deadline}, share / std::exchange(left, left - share), tester.spent());
  };
  const std::optional<Configuration> best = bestInTurns(tester, population, size, until(kFastest));
  if (!best)
    return {};
  tester.observer().stage("looking at smaller sizes");
  const Configuration atAll = goodAtSmallerSizes(tester, *best, size, until(kSmaller));
  tester.observer().stage("taking back what makes no difference");
  const Configuration tidied = tidy(tester, atAll, size, until(kTidy));
  if (!isPolished)
    return {tidied, *best};
  tester.observer().stage("polishing in turns");
  // A race seldom takes all of its share if that is many runs and some seconds.
  constexpr double kSecondsOfRace = 4, kRunsOfRace = 60;
  Deadline untilPolished = until(kInTurns);
  untilPolished.seconds =
      std::max(untilPolished.seconds, deadline - kSecondsOfRace - kRunsOfRace * tester.defaultAt(size));
  Duels duels(tester, tidied, size, untilPolished, Care::Sure);
  polishInTurns(tester, duels, size, untilPolished, random);
  return {duels.best(), tidied, *best};
}

/// Seconds that the last race and the steps after it take beyond their share. If runs are long, this is most of a
/// short budget.
double timeOfRace(const TuneSettings &settings, double ofDefault, double now) {
  constexpr double kRuns = 20, kMost = 0.55; // of the default; of the time that is left
  constexpr double kOwn = 1 - kSearch - kPolish - kFastest - kSmaller - kTidy - kInTurns;
  const double left = std::max(settings.deadline - now, 0.0);
  return settings.trials == 0 && settings.isRaced
             ? std::max(std::min(kRuns * ofDefault, kMost * left) - kOwn * left, 0.0)
             : 0;
}

constexpr int kTrialsOfASize = 60; // fewer trials show too little about a size

/// With few trials, small sizes are left out, because the full one counts.
int firstSize(const TuneSettings &settings, const Strategy &strategy, int count) {
  if (!strategy.startsSmall)
    return count - 1;
  return settings.trials > 0 ? std::max(count - std::max(settings.trials / kTrialsOfASize, 1), 0) : 0;
}

} // namespace

ChosenStrategy chooseStrategy(const ProgramSpace &space, const TuneSettings &settings, double seconds) {
  if (settings.strategy.strategy)
    return settings.strategy;
  // With fewer trials than this for each open decision the model finds more (docs/notebook/strategies.md).
  constexpr int kFew = 40;
  constexpr double kOverhead = 0.001; // seconds of a run in addition to its own time
  const double affordable = settings.trials > 0 ? settings.trials
                            : seconds > 0       ? settings.deadline / (seconds + kOverhead)
                                                : kUnlimitedTrials;
  if (affordable <= kFew * std::max(space.openDecisions(), 1))
    return parseStrategy("bayesian");
  return parseStrategy("evolutionary");
}

void takeOver(const RaceResult &last, TuneResult &result) {
  constexpr int kFewestRounds = 3; // fewer are no comparison
  result.raced = last.rounds >= kFewestRounds;
  if (!result.raced)
    return;
  result.best = last.winner;
  result.changed = last.changed;
  result.keptPrevious = last.keptPrevious;
  result.defaultSeconds = last.defaultSeconds;
  result.bestSeconds = last.winnerSeconds;
  result.defaultTimes = last.defaultTimes;
  result.bestTimes = last.winnerTimes;
}

TuneResult tune(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                const std::vector<Configuration> &earlier, const TuneSettings &settings, Evaluator &evaluator,
                Observer &observer) {
  constexpr double kSearchTrials = 0.8; // of the trials; the race is not counted
  constexpr double kExamination = 1;    // seconds for examining what there was no time to race
  constexpr double kOfSeeds = 0.1;      // of the time; runs at the full size are not made again later
  TuneSettings ofRest = settings;
  ofRest.deadline -= evaluator.elapsed();
  const double searched =
      settings.deadline - timeOfRace(settings, sizes.back().defaultSeconds, evaluator.elapsed());
  const ChosenStrategy chosen = chooseStrategy(space, ofRest, sizes.back().defaultSeconds);
  const bool isPolished = chosen.strategy->isPolished;
  Tester tester(space, sizes, evaluator, observer, Tester::runsOf(settings.trials, settings.deadline));
  Random random(settings.seed);
  const Spent start = tester.spent();
  const int trials = settings.trials > 0 ? settings.trials : kUnlimitedTrials;
  const bool isTimed = settings.trials == 0; // counted trials are not to be wasted
  Deadline untilPolished = part(
      {searched, trials}, kSearch + kPolish + (isTimed ? 0 : kFastest + kSmaller + kTidy + kInTurns), start);
  untilPolished.measurements = trials;
  Deadline untilSearched =
      isPolished ? part(untilPolished, kSearch / (kSearch + kPolish), start) : untilPolished;
  untilSearched.measurements = part({0, trials}, isPolished ? kSearchTrials : 1, start).measurements;

  tester.allow(trials);

  std::vector<Configuration> first = forcedAlternatives(space);
  first.insert(first.begin() + 1, settings.seeds.begin(), settings.seeds.end());
  const double ofSeeds = isTimed ? kOfSeeds * (searched - evaluator.elapsed()) : 0; // runs are not counted
  const std::vector<Configuration> predicted =
      startOf(settings.predicted, Configuration::defaults(space), sizes.back(),
              static_cast<int>(sizes.size()) - 1, ofSeeds, evaluator, observer);
  first.insert(first.begin() + 1, predicted.begin(), predicted.end());
  first.insert(first.begin() + 1, earlier.begin(), earlier.end());
  const std::unique_ptr<Technique> technique = chosen.make();
  GrowingResult search =
      growThroughSizes(tester, first, *technique,
                       {untilSearched, settings.population,
                        firstSize(settings, *chosen.strategy, static_cast<int>(sizes.size()))},
                       random);

  TuneResult result;
  result.strategy = chosen.strategy->name;
  result.coverage = technique->coverage();
  result.best = Configuration::defaults(space);
  result.size = search.lastSize;
  const bool atFullSize = search.lastSize + 1 == static_cast<int>(sizes.size());
  if (atFullSize && isPolished && !evaluator.stopped()) {
    observer.stage("polishing the best");
    polish(tester, search.population, search.lastSize, untilPolished, random);
    if (chosen.strategy->startsSmall && settings.trials == 0)
      goOn(tester, search.population, search.lastSize, *technique, settings.population, untilPolished,
           random);
  }
  result.measurements = tester.measurements(); // what prepares the race belongs to the race
  tester.allow(kUnlimitedTrials);
  if (atFullSize && settings.isRaced && !evaluator.stopped()) {
    search.population.removeBanned(tester, search.lastSize);
    search.population.prune(search.lastSize, settings.population);
    std::vector<Configuration> found;
    if (isTimed) {
      found = stepsInTurns(tester, search.population, search.lastSize, searched, isPolished, random);
      result.measurements = tester.measurements();
    }
    observer.stage("final race against the default");
    // Of two that are equally fast the earlier one stays, else the simpler one.
    const Configuration *keeper = !earlier.empty() ? &earlier.front()
                                  : !found.empty() ? &found.front()
                                                   : nullptr;
    constexpr int kRaces = 3; // others run if the winner was wrong
    RaceResult last;
    for (int k = 0; k == 0 || (k < kRaces && last.isOneWrong && !evaluator.stopped()); ++k) {
      if (k > 0)
        startOver(tester, search.population, search.lastSize, settings.population);
      last =
          race(tester, runnersOf(tester, search.population, earlier, found, search.lastSize), search.lastSize,
               settings.deadline, keeper, Rounds::Spread, earlier.empty() ? Ties::Default : settings.ties);
    }
    constexpr int kRoundsWhenCut = 5; // are enough, even if the winner was not examined again
    if (!evaluator.stopped()) {
      takeOver(last, result);
    } else if (last.rounds >= kRoundsWhenCut) {
      takeOver(last, result);
      if (result.changed &&
          tester.isRefuted(result.best, result.size, result.defaultSeconds, result.bestSeconds))
        result.raced = result.changed = false;
    }
    result.keptPrevious &= !earlier.empty();
  }
  if (!result.raced) {
    search.population.removeBanned(tester, search.lastSize);
    result.best = Configuration::defaults(space);
    takeBestSoFar(tester, search.population, result);
    const bool isWrong =
        result.changed &&
        ((!evaluator.stopped() &&
          tester.sound({result.best}, evaluator.elapsed() + kExamination) != std::vector{result.best}) ||
         tester.isRefuted(result.best, result.size, result.defaultSeconds, result.bestSeconds));
    if (isWrong) {
      result.best = Configuration::defaults(space);
      result.bestSeconds = result.defaultSeconds;
      result.changed = false;
    }
  }
  result.faults = tester.bans().faults();
  return result;
}

} // namespace pbc::tuner
