#include "tuner/strategy/polish.h"

#include "tuner/strategy/growing_search.h"
#include "tuner/strategy/techniques/techniques.h"
#include "tuner/strategy/turns.h"

#include <algorithm>
#include <set>

namespace pbc::tuner {
namespace {

/// The best one against one challenger after another.
class Duels {
public:
  Duels(Tester &tester, Candidate best, int size, const Deadline &deadline)
      : tester_(tester), best_(std::move(best)), size_(size), deadline_(deadline) {}

  const Candidate &best() const { return best_; }

  /// True: the challenger is the best one now.
  bool isBeatenBy(Candidate challenger) {
    Turns turns(tester_, size_);
    std::vector<double> own, others;
    do {
      turns.beginRound();
      const bool isFirst = own.size() % 2 == 0;
      if (isFirst && !turns.take(best_.configuration, own))
        return false;
      if (!turns.take(challenger.configuration, others))
        return false;
      if (!isFirst && !turns.take(best_.configuration, own))
        return false;
      if (!tester_.mayGoOn(deadline_) || hasLost(own, others))
        return false;
    } while (!hasWon(own, others));
    challenger.seconds[size_] = others;
    best_ = std::move(challenger);
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
  Candidate best_;
  const int size_;
  const Deadline deadline_;
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

std::optional<Configuration> polishInTurns(Tester &tester, Population &population, int size,
                                           const Deadline &deadline, Random &random) {
  constexpr std::size_t kFastest = 5;
  const Candidate *first = population.bestMeasured(size);
  if (!first)
    return {};
  Duels duels(tester, *first, size, deadline);
  std::set<std::string> tried{first->configuration.key()};
  const auto wins = [&](const Configuration &configuration) {
    if (!tried.insert(configuration.key()).second ||
        tester.bans().uses(configuration, tester.sizes()[static_cast<std::size_t>(size)].n))
      return false;
    Candidate candidate{configuration, {}};
    return tester.test(candidate, size, duels.best().configuration) && duels.isBeatenBy(candidate);
  };
  std::vector<Configuration> members;
  population.prune(size, static_cast<int>(population.members().size()));
  for (const Candidate &member : population.members())
    members.push_back(member.configuration);
  for (std::size_t i = 0; i < std::min(members.size(), kFastest) && tester.mayGoOn(deadline); ++i)
    wins(members[i]);

  const auto only = [](const Candidate &candidate) {
    Population alone;
    alone.join(candidate);
    return alone;
  };
  Population best = only(duels.best());
  const Situation at{tester, best, size, false, random};
  const auto descent = makeDescent(0, 0);
  descent->begin(at);
  while (tester.mayGoOn(deadline)) {
    const std::optional<Proposal> proposal = descent->propose(at);
    if (!proposal)
      break;
    Outcome outcome;
    if (wins(proposal->configuration)) {
      outcome.isNew = outcome.isBetter = outcome.isBest = true;
      best = only(duels.best());
    }
    descent->told(at, *proposal, outcome);
  }
  population.join(duels.best());
  return duels.best().configuration;
}

} // namespace pbc::tuner
