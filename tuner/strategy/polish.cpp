#include "tuner/strategy/polish.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/techniques/techniques.h"
#include "tuner/strategy/turns.h"

#include <algorithm>
#include <set>

namespace pbc::tuner {
namespace {

/// The best one against one challenger after another.
class Duels {
public:
  Duels(Tester &tester, Configuration best, int size, const Deadline &deadline)
      : tester_(tester), best_(std::move(best)), size_(size), deadline_(deadline), tried_{best_.key()} {}

  const Configuration &best() const { return best_; }

  /// True: the challenger is the best one now. Who has lost to one does not beat a better one.
  bool isBeatenBy(const Configuration &challenger) {
    Candidate candidate{challenger, {}};
    if (!tried_.insert(challenger.key()).second ||
        tester_.bans().uses(challenger, tester_.sizes()[static_cast<std::size_t>(size_)].n) ||
        !tester_.mayGoOn(deadline_) || !tester_.test(candidate, size_, best_))
      return false;
    Turns turns(tester_, size_);
    std::vector<double> own, others;
    do {
      if (!turns.roundOf(best_, own, challenger, others) || !tester_.mayGoOn(deadline_) ||
          hasLost(own, others))
        return false;
    } while (!hasWon(own, others));
    best_ = challenger;
    return true;
  }

private:
  static bool hasLost(const std::vector<double> &own, const std::vector<double> &others) {
    constexpr std::size_t kFewest = 5, kFew = 7, kMost = 15; // rounds
    constexpr double kFar = 0.2, kGain = 0.99, kHope = 0.98;
    double lowest = others[0] / own[0];
    for (std::size_t i = 1; i < own.size(); ++i)
      lowest = std::min(lowest, others[i] / own[i]);
    const double ratio = judgePairs(own, others).ratio;
    return lowest > 1 + kFar / static_cast<double>(own.size()) || (own.size() >= kFewest && ratio > 1) ||
           (own.size() >= kFew && ratio > kGain) || (own.size() >= kMost && ratio > kHope) ||
           own.size() >= 2 * kMost;
  }

  /// Of a hundred challengers some win five rounds by chance; what they won by must be there in five more.
  static bool hasWon(const std::vector<double> &own, const std::vector<double> &others) {
    constexpr std::ptrdiff_t kAgain = 5;
    if (std::ssize(own) < 2 * kAgain || !judgePairs(own, others).faster)
      return false;
    return judgePairs({own.end() - kAgain, own.end()}, {others.end() - kAgain, others.end()}).ratio < 1;
  }

  Tester &tester_;
  Configuration best_;
  const int size_;
  const Deadline deadline_;
  std::set<std::string> tried_;
};

} // namespace

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

std::optional<Configuration> bestInTurns(Tester &tester, Population &population, int size,
                                         const Deadline &deadline) {
  constexpr int kFastest = 5;
  population.prune(size, kFastest);
  if (!population.bestMeasured(size))
    return {};
  Duels duels(tester, population.members().front().configuration, size, deadline);
  for (const Candidate &member : population.members())
    duels.isBeatenBy(member.configuration);
  return duels.best();
}

Configuration polishInTurns(Tester &tester, const Configuration &from, int size, const Deadline &deadline,
                            Random &random) {
  const long n = tester.sizes()[static_cast<std::size_t>(size)].n;
  Duels duels(tester, from, size, deadline);
  // Any of them may be worth most, and there may not be time for all.
  const auto stepsFrom = [&](const Configuration &best) {
    std::vector<Configuration> steps = neighbours(tester.space(), tester.bans(), best, n);
    for (std::size_t left = steps.size(); left > 1; --left)
      std::swap(steps[left - 1], steps[random.below(left)]);
    return steps;
  };
  std::vector<Configuration> steps = stepsFrom(from);
  while (!steps.empty() && tester.mayGoOn(deadline)) {
    const Configuration next = steps.back();
    steps.pop_back();
    if (duels.isBeatenBy(next))
      steps = stepsFrom(duels.best());
  }
  return duels.best();
}

} // namespace pbc::tuner
