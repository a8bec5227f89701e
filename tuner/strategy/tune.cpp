#include "tuner/strategy/tune.h"

#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/polish.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

/// What is known when the user ends it before the race.
void takeBestSoFar(const Tester &tester, Population &population, TuneResult &result) {
  result.defaultSeconds = result.bestSeconds = tester.defaultAt(result.size);
  const Configuration defaults = Configuration::defaults(tester.space());
  const auto &members = population.members();
  const auto byDefault = std::find_if(members.begin(), members.end(),
                                      [&](const Candidate &c) { return c.configuration == defaults; });
  if (members.empty())
    return;
  const Candidate &best = population.best(result.size);
  if (!best.measuredAt(result.size) || best.configuration == defaults)
    return;
  const std::vector<double> reference = byDefault != members.end() && byDefault->measuredAt(result.size)
                                            ? byDefault->seconds.at(result.size)
                                            : std::vector<double>{tester.defaultAt(result.size)};
  if (judge(best.seconds.at(result.size), reference) != Verdict::Faster)
    return;
  result.best = best.configuration;
  result.bestSeconds = best.at(result.size);
  result.changed = true;
}

} // namespace

TuneResult tune(const ProgramSpace &space, const std::vector<TestSize> &sizes,
                const std::vector<Configuration> &earlier, const TuneSettings &settings, Evaluator &evaluator,
                Observer &observer) {
  constexpr double kSearch = 0.7, kPolish = 0.15; // of the time; the rest is the race's
  constexpr std::size_t kRunners = 3;
  constexpr double kExamination = 1; // second, of what there was no time to race
  Tester tester(space, sizes, evaluator, observer);
  Random random(settings.seed);
  const double start = evaluator.elapsed();
  const double whole = std::max(settings.deadline - start, 0.0);

  std::vector<Configuration> first = forcedAlternatives(space);
  first.insert(first.begin() + 1, earlier.begin(), earlier.end());
  EvolutionSettings evolution{start + kSearch * whole, settings.population, settings.children,
                              settings.onlyForced};
  EvolutionResult search = evolve(tester, first, evolution, random);

  TuneResult result;
  result.best = Configuration::defaults(space);
  result.size = search.lastSize;
  const bool atFullSize = search.lastSize + 1 == static_cast<int>(sizes.size());
  if (atFullSize && !settings.onlyForced && !evaluator.stopped()) {
    observer.stage("polishing the best");
    polish(tester, search.population, search.lastSize, start + (kSearch + kPolish) * whole);
  }
  if (atFullSize && !evaluator.stopped()) {
    observer.stage("final race against the default");
    const long n = sizes[search.lastSize].n;
    search.population.removeBanned(tester.bans(), n);
    search.population.prune(search.lastSize, settings.population);
    std::vector<Configuration> runners;
    for (const Configuration &configuration : earlier)
      if (!tester.bans().uses(configuration, n))
        runners.push_back(configuration);
    for (const Candidate &member : search.population.members())
      if (runners.size() < kRunners + earlier.size() && member.measuredAt(search.lastSize) &&
          std::find(runners.begin(), runners.end(), member.configuration) == runners.end())
        runners.push_back(member.configuration);
    const RaceResult last = race(tester, runners, search.lastSize, settings.deadline,
                                 earlier.empty() ? nullptr : &earlier.front());
    result.raced = !evaluator.stopped() && last.rounds >= 3;
    if (result.raced) {
      result.best = last.winner;
      result.changed = last.changed;
      result.defaultSeconds = last.defaultSeconds;
      result.bestSeconds = last.winnerSeconds;
      result.keptPrevious = last.keptPrevious;
      result.defaultTimes = last.defaultTimes;
      result.bestTimes = last.winnerTimes;
    }
  }
  if (!result.raced) {
    search.population.removeBanned(tester.bans(), sizes[search.lastSize].n);
    takeBestSoFar(tester, search.population, result);
    if (result.changed && !evaluator.stopped() &&
        tester.sound({result.best}, evaluator.elapsed() + kExamination) != std::vector{result.best}) {
      result.best = Configuration::defaults(space);
      result.bestSeconds = result.defaultSeconds;
      result.changed = false;
    }
  }
  result.measurements = tester.measurements();
  result.faults = tester.bans().faults();
  return result;
}

} // namespace pbc::tuner
