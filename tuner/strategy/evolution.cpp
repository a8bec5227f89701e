#include "tuner/strategy/evolution.h"

#include "tuner/strategy/mutators.h"
#include "tuner/strategy/neighbours.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

/// Fewer trials at first: [R] starts with one, and beats() adds more where they are needed.
constexpr int kFirstTrials = 1;

/// The time by which size `index` must be done: each size may take 1.4 times what the one before it may, so
/// that about a third of the time goes to the largest and unused time goes on to the next.
double deadlineOf(int index, int count, double now, double deadline) {
  double sum = 0;
  for (int i = index; i < count; ++i)
    sum += std::pow(1.4, i);
  return now + (deadline - now) * std::pow(1.4, index) / sum;
}

class Search {
public:
  Search(Tester &tester, const EvolutionSettings &settings, Random &random)
      : tester_(tester), settings_(settings), random_(random) {}

  EvolutionResult run(const std::vector<Configuration> &start) {
    for (const Configuration &configuration : start)
      result_.population.join({configuration, {}});
    const int count = static_cast<int>(tester_.sizes().size());
    for (int size = 0; size < count; ++size) {
      const double now = tester_.evaluator().elapsed();
      if (!tester_.mayGoOn(settings_.deadline)) {
        if (tester_.evaluator().stopped())
          break;
        if (size + 1 < count)
          continue; // out of time: what there is still meets the full size
      }
      oneSize(size, deadlineOf(size, count, now, std::max(settings_.deadline, now)));
    }
    return std::move(result_);
  }

private:
  std::vector<Candidate> &members() { return result_.population.members(); }

  void oneSize(int size, double deadline) {
    retest(size, deadline);
    if (tester_.evaluator().stopped() && !members().empty() && !members().front().measuredAt(size))
      return;
    result_.lastSize = size;
    result_.population.keepMeasured(size);
    if (!settings_.onlyForced) {
      tryTopLevels(size, deadline);
      tryMutations(size, deadline);
    }
    result_.population.removeBanned(tester_.bans(), tester_.sizes()[size].n);
    confirm(size, deadline);
    result_.population.prune(size, settings_.population);
    tester_.observer().finished(tester_.sizes()[size], tester_.measurements(), tester_.bestAt(size),
                                tester_.defaultAt(size));
  }

  /// The members at the new size, the default always among them: it is the reference of what follows. The
  /// first three are tested even when the time is over, for there must be something to race.
  void retest(int size, double deadline) {
    const Configuration defaults = Configuration::defaults(tester_.space());
    std::vector<Candidate> old = std::move(members());
    members().clear();
    auto place =
        std::find_if(old.begin(), old.end(), [&](const Candidate &c) { return c.configuration == defaults; });
    if (place == old.end())
      old.insert(old.begin(), Candidate{defaults, {}});
    else
      std::rotate(old.begin(), place, place + 1);
    int tested = 0;
    for (Candidate &candidate : old) {
      if (tested >= 4 && !tester_.mayGoOn(deadline))
        break;
      if (tester_.evaluator().stopped() && tested > 0)
        break;
      if (!tester_.isNew(candidate.configuration, size))
        continue;
      if (tester_.bans().uses(candidate.configuration, tester_.sizes()[size].n))
        continue;
      if (tester_.test(candidate, size, kFirstTrials, defaults) || tested == 0)
        result_.population.join(std::move(candidate));
      ++tested;
    }
  }

  /// True if the child was faster and is a member now.
  bool tryChild(const Configuration &configuration, std::size_t parent, int size) {
    if (!tester_.isNew(configuration, size))
      return false;
    if (tester_.bans().uses(configuration, tester_.sizes()[size].n))
      return false;
    Candidate child{configuration, {}};
    if (!tester_.test(child, size, kFirstTrials, members()[parent].configuration))
      return false;
    if (!tester_.beats(child, members()[parent], size))
      return false;
    return result_.population.join(std::move(child));
  }

  std::size_t bestIndex(int size) {
    return static_cast<std::size_t>(&result_.population.best(size) - members().data());
  }

  /// The best one with other alternatives from about n on. What is below was decided at smaller sizes; at the
  /// first size nobody has, so there the bands around n/2, n/4, ... follow.
  void tryTopLevels(int size, double deadline) {
    const long n = tester_.sizes()[size].n;
    tryAll(size, deadline, [&](const Configuration &best) {
      return topLevelChanges(tester_.space(), tester_.bans(), best, n);
    });
    for (long m = n / 2; m >= 1 && size == 0; m /= 2)
      tryAll(size, deadline, [&](const Configuration &best) {
        return bandChanges(tester_.space(), tester_.bans(), best, m);
      });
  }

  template <typename Changes>
  void tryAll(int size, double deadline, const Changes &changes) {
    const std::size_t parent = bestIndex(size);
    const Configuration best = members()[parent].configuration;
    for (const Configuration &child : changes(best)) {
      if (!tester_.mayGoOn(deadline))
        return;
      tryChild(child, parent, size);
    }
  }

  void tryMutations(int size, double deadline) {
    const int children =
        settings_.children > 0 ? settings_.children : 20 + 20 * tester_.space().openDecisions();
    for (int i = 0; i < children && tester_.mayGoOn(deadline); ++i) {
      // Random parents keep variety; every second one is the best, because most other lines end soon.
      const std::size_t parent = i % 2 ? bestIndex(size) : random_.below(members().size());
      const auto child = mutate(tester_.space(), tester_.bans(), members()[parent].configuration,
                                tester_.sizes()[size].n, random_);
      if (child)
        tryChild(*child, parent, size);
      if (static_cast<int>(members().size()) > 3 * settings_.population)
        result_.population.prune(size, settings_.population);
    }
  }

  /// A single lucky time must not lead: those in front are measured again until the order of the first holds.
  void confirm(int size, double deadline) {
    if (members().empty())
      return;
    for (int round = 0; round < 3 * Tester::kMostTrials && tester_.mayGoOn(deadline); ++round) {
      Candidate &best = result_.population.best(size);
      if (best.seconds[size].size() >= 3)
        return;
      tester_.test(best, size, 1, Configuration::defaults(tester_.space()));
    }
  }

  Tester &tester_;
  const EvolutionSettings &settings_;
  Random &random_;
  EvolutionResult result_;
};

} // namespace

EvolutionResult evolve(Tester &tester, const std::vector<Configuration> &start,
                       const EvolutionSettings &settings, Random &random) {
  return Search(tester, settings, random).run(start);
}

} // namespace pbc::tuner
