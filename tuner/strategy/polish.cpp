#include "tuner/strategy/polish.h"

#include "tuner/strategy/neighbours.h"

namespace pbc::tuner {
namespace {

class Descent {
public:
  Descent(Tester &tester, Population &population, int size, double deadline)
      : tester_(tester), population_(population), size_(size), deadline_(deadline),
        n_(tester.sizes()[size].n), current_(population.best(size)) {}

  int run() {
    do
      while (step(neighbours(tester_.space(), tester_.bans(), current_.configuration, n_))) {
      }
    while (bands() && tester_.mayGoOn(deadline_));
    return steps_;
  }

private:
  /// Small scales are felt through recursion only; what earlier sizes took for them is looked at once more.
  bool bands() {
    bool moved = false;
    for (long m = n_; m >= 1 && tester_.mayGoOn(deadline_); m /= 2)
      moved |= step(bandChanges(tester_.space(), tester_.bans(), current_.configuration, m));
    return moved;
  }

  /// Goes to the first of these that is faster.
  bool step(const std::vector<Configuration> &choices) {
    for (const Configuration &next : choices) {
      if (!tester_.mayGoOn(deadline_))
        return false;
      if (!tester_.isNew(next, size_) || tester_.bans().uses(next, n_))
        continue;
      Candidate candidate{next, {}};
      if (!tester_.test(candidate, size_, 1, current_.configuration))
        continue;
      if (!tester_.beats(candidate, current_, size_))
        continue;
      current_ = std::move(candidate);
      population_.join(current_);
      ++steps_;
      return true;
    }
    return false;
  }

  Tester &tester_;
  Population &population_;
  const int size_;
  const double deadline_;
  const long n_;
  Candidate current_;
  int steps_ = 0;
};

} // namespace

int polish(Tester &tester, Population &population, int size, double deadline) {
  if (population.members().empty() || !population.best(size).measuredAt(size))
    return 0;
  return Descent(tester, population, size, deadline).run();
}

} // namespace pbc::tuner
