#include "tuner/strategy/polish.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/techniques/techniques.h"

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
  const auto confirmed = // runs: those that it was chosen by may be lucky
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

} // namespace pbc::tuner
