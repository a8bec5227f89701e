#include "tuner/strategy/polish.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/techniques/techniques.h"

namespace pbc::tuner {

int polish(Tester &tester, Population &population, int size, const Deadline &deadline, Random &random) {
  if (population.members().empty() || !population.best(size).measuredAt(size))
    return 0;
  const auto descent = makeDescent(0, 0);
  const Situation at{tester, population, size, false, random};
  descent->begin(at);
  return pursue(at, *descent, deadline, kUnlimitedTrials);
}

} // namespace pbc::tuner
