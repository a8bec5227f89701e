// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/polish.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/techniques/techniques.h"

#include <algorithm>

namespace pbc::tuner {
int polish(Tester &tester, Population &population, int size, const Deadline &deadline, Random &random) {
  if (!population.bestMeasured(size))
    return 0;
  const auto descent = makeDescent(0, 0);
  const Situation at{tester, population, size, false, random};
  descent->begin(at);
  return pursue(at, *descent, deadline, kUnlimitedTrials);
}

void goOn(Tester &tester, Population &population, int size, Technique &technique, int mostMembers,
          const Deadline &deadline, Random &random) {
  constexpr int kFruitless = 3;
  constexpr double kGain = 0.99;
  const auto confirmed = // new runs, because the times that it was chosen by may be lucky
      static_cast<std::size_t>(std::max(3, 2 * tester.runs().first));
  if (!population.bestMeasured(size))
    return;
  const Configuration defaults = Configuration::defaults(tester.space());
  const Situation at{tester, population, size, false, random};
  for (int fruitless = 0; fruitless < kFruitless && tester.mayGoOn(deadline);) {
    const double before = population.best(size).at(size);
    technique.begin(at);
    pursue(at, technique, deadline, 3 * mostMembers);
    population.removeBanned(tester, at.size);
    polish(tester, population, size, deadline, random);
    for (int i = 0; i < 3 * Tester::kMostTrials && tester.mayGoOn(deadline); ++i) {
      Candidate &best = population.best(size);
      if (best.seconds[size].size() >= confirmed || !tester.test(best, size, defaults))
        break;
    }
    population.prune(size, mostMembers);
    fruitless = population.best(size).at(size) < kGain * before ? 0 : fruitless + 1;
  }
}

std::optional<Configuration> bestInTurns(Tester &tester, Population &population, int size,
                                         const Deadline &deadline) {
  constexpr int kFastest = 5;
  population.prune(size, kFastest);
  if (!population.bestMeasured(size))
    return {};
  Duels duels(tester, population.members().front().configuration, size, deadline, Care::Sure);
  for (const Candidate &member : population.members())
    duels.isBeatenBy(member.configuration);
  return duels.best();
}

void polishInTurns(Tester &tester, Duels &duels, int size, const Deadline &deadline, Random &random) {
  const long n = tester.sizes()[static_cast<std::size_t>(size)].n;
  // Any of the steps may gain most, and there may not be time for all.
  const auto stepsFrom = [&](const Configuration &best) {
    constexpr int kBands = 3; // recursive transforms spend most of their time at these sizes
    std::vector<Configuration> steps = neighbours(tester.space(), tester.bans(), best, n);
    for (int band = 1; band <= kBands; ++band)
      for (Configuration &step : bandChanges(tester.space(), tester.bans(), best, n >> band))
        steps.push_back(std::move(step));
    for (std::size_t left = steps.size(); left > 1; --left)
      std::swap(steps[left - 1], steps[random.below(left)]);
    return steps;
  };
  std::vector<Configuration> steps = stepsFrom(duels.best());
  while (!steps.empty() && tester.mayGoOn(deadline)) {
    const Configuration next = steps.back();
    steps.pop_back();
    if (duels.isBeatenBy(next))
      steps = stepsFrom(duels.best());
  }
}

} // namespace pbc::tuner
