#include "tuner/strategy/polish.h"

#include "tuner/strategy/neighbours.h"

namespace pbc::tuner {

int polish(Tester &tester, Population &population, int size, double deadline) {
  const long n = tester.sizes()[size].n;
  if (population.members().empty() || !population.best(size).measuredAt(size)) return 0;
  Candidate current = population.best(size);
  int steps = 0;
  for (bool moved = true; moved && tester.mayGoOn(deadline);) {
    moved = false;
    for (const Configuration &next : neighbours(tester.space(), tester.bans(), current.configuration, n)) {
      if (!tester.mayGoOn(deadline)) break;
      if (!tester.isNew(next, size) || tester.bans().uses(next, n)) continue;
      Candidate candidate{next, {}};
      if (!tester.test(candidate, size, 1, current.configuration)) continue;
      if (!tester.beats(candidate, current, size)) continue;
      current = std::move(candidate);
      population.join(current);
      ++steps;
      moved = true;
      break; // the neighbours of the new one
    }
  }
  return steps;
}

} // namespace pbc::tuner
