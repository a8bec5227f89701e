// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/growing_search.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr int kMostRepeats = 2000; // consecutive proposals that are known: the technique has no new ones

/// The part of the remaining time that size `index` may take: 1.4 times that of the size before, so that
/// about a third is left for the largest; unused time is passed on.
double shareOf(int index, int count) {
  double sum = 0;
  for (int i = index; i < count; ++i)
    sum += std::pow(1.4, i);
  return std::pow(1.4, index) / sum;
}

Outcome tryOut(const Situation &at, const Proposal &proposal) {
  Outcome outcome;
  if (!at.tester.isNew(proposal.configuration, at.size))
    return outcome;
  if (at.tester.bans().uses(proposal.configuration, at.n()))
    return outcome;
  outcome.isNew = true;
  Candidate *known = at.population.find(proposal.parent);
  Candidate &parent = known ? *known : at.population.best(at.size);
  Candidate child{proposal.configuration, {}};
  const double limit = at.tester.limit(at.size);
  if (!at.tester.test(child, at.size, parent.configuration)) {
    if (at.tester.wasTooSlow(child.configuration, at.size))
      outcome.limit = limit;
    return outcome;
  }
  outcome.isBetter = !parent.measuredAt(at.size) || at.tester.beats(child, parent, at.size);
  if (child.measuredAt(at.size))
    outcome.seconds = child.at(at.size);
  const Candidate &best = at.population.best(at.size);
  outcome.isBest = outcome.isBetter && outcome.seconds &&
                   (!best.measuredAt(at.size) || *outcome.seconds < best.at(at.size));
  if (outcome.isBetter || proposal.isFreeToSlow)
    outcome.isBetter &= at.population.join(std::move(child));
  return outcome;
}

class Growth {
public:
  Growth(Tester &tester, Technique &technique, const GrowingSettings &settings, Random &random)
      : tester_(tester), technique_(technique), settings_(settings), random_(random) {}

  GrowingResult run(const std::vector<Configuration> &start) {
    for (const Configuration &configuration : start)
      result_.population.join({configuration, {}});
    const int count = static_cast<int>(tester_.sizes().size());
    for (int size = std::clamp(settings_.firstSize, 0, count - 1); size < count; ++size) {
      if (!tester_.mayGoOn(settings_.deadline)) {
        if (tester_.evaluator().stopped())
          break;
        if (size + 1 < count)
          continue; // out of time: the remaining members go on to the full size
      }
      oneSize(size, part(settings_.deadline, shareOf(size, count), tester_.spent()));
    }
    return std::move(result_);
  }

private:
  std::vector<Candidate> &members() { return result_.population.members(); }

  void oneSize(int size, const Deadline &deadline) {
    const Population before = result_.population;
    const std::vector<std::pair<Proposal, Outcome>> known = retest(size, deadline);
    if (tester_.evaluator().stopped() && !isFirst_) { // the result of the size before is still valid
      result_.population = before;
      return;
    }
    result_.lastSize = size;
    result_.population.keepMeasured(size);
    const Situation at{tester_, result_.population, size, isFirst_, random_};
    isFirst_ = false;
    technique_.begin(at);
    for (const auto &[proposal, outcome] : known)
      technique_.told(at, proposal, outcome);
    pursue(at, technique_, deadline, 3 * settings_.population);
    result_.population.removeBanned(tester_, size);
    confirm(size, deadline);
    result_.population.prune(size, settings_.population);
    tester_.observer().finished(tester_.sizes()[static_cast<std::size_t>(size)], tester_.measurements(),
                                tester_.bestAt(size), tester_.defaultAt(size));
  }

  /// The members at the new size, always including the default, which is the reference for the rest. Of the
  /// first twelve, three are tested even if the time is over, so that there are candidates for the race.
  /// Members that use a banned alternative are replaced by what is left of them without it.
  std::vector<std::pair<Proposal, Outcome>> retest(int size, const Deadline &deadline) {
    const Configuration defaults = Configuration::defaults(tester_.space());
    std::vector<std::pair<Proposal, Outcome>> known;
    std::vector<Candidate> old = std::move(members());
    members().clear();
    auto place =
        std::find_if(old.begin(), old.end(), [&](const Candidate &c) { return c.configuration == defaults; });
    if (place == old.end())
      old.insert(old.begin(), Candidate{defaults, {}});
    else
      std::rotate(old.begin(), place, place + 1);
    int tested = 0, joined = 0;
    for (Candidate &candidate : old) {
      if ((joined > 3 || tested > 12) && !tester_.mayGoOn(deadline))
        break;
      if (tester_.evaluator().stopped() && tested > 0)
        break;
      if (const long n = tester_.sizes()[static_cast<std::size_t>(size)].n;
          tester_.bans().uses(candidate.configuration, n))
        candidate = {tester_.bans().without(candidate.configuration, n), {}};
      if (!tester_.isNew(candidate.configuration, size))
        continue;
      const double limit = tester_.limit(size);
      const bool runs = tester_.test(candidate, size, defaults);
      Outcome outcome{true, {}, {}, false, false};
      if (runs)
        outcome.seconds = candidate.at(size);
      else if (tester_.wasTooSlow(candidate.configuration, size))
        outcome.limit = limit;
      known.emplace_back(Proposal{candidate.configuration, defaults}, outcome);
      if (runs || tested == 0)
        joined += result_.population.join(std::move(candidate));
      ++tested;
    }
    return known;
  }

  /// Measures the first members again until their order is confirmed, so that a single lucky time does not
  /// lead.
  void confirm(int size, const Deadline &deadline) {
    if (members().empty())
      return;
    for (int round = 0; round < 3 * Tester::kMostTrials && tester_.mayGoOn(deadline); ++round) {
      Candidate &best = result_.population.best(size);
      if (best.seconds[size].size() >= 3)
        return;
      tester_.test(best, size, Configuration::defaults(tester_.space()));
    }
  }

  Tester &tester_;
  Technique &technique_;
  const GrowingSettings &settings_;
  Random &random_;
  GrowingResult result_;
  bool isFirst_ = true;
};

} // namespace

int pursue(const Situation &at, Technique &technique, const Deadline &deadline, int mostMembers) {
  // The speed of a shared machine varies, so it is checked every second or, where that is much, for a tenth
  // of the time.
  constexpr double kLook = 1, kShare = 0.1;
  constexpr int kKept = 10;
  int joined = 0;
  const auto now = [&] { return at.tester.evaluator().elapsed(); };
  double nextLook = now() + std::max(kLook, Tester::kAgain * at.tester.bestAt(at.size) / kShare);
  for (int repeats = 0; repeats < kMostRepeats && at.tester.mayGoOn(deadline);) {
    if (const double begin = now(); !deadline.hasTrials() && begin > nextLook) {
      at.population.checkTimes(at.tester, at.size, kKept);
      nextLook = now() + std::max(kLook, (now() - begin) / kShare);
    }
    const std::optional<Proposal> proposal = technique.propose(at);
    if (!proposal)
      break;
    const Outcome outcome = tryOut(at, *proposal);
    repeats = outcome.isNew ? 0 : repeats + 1;
    joined += outcome.isBetter;
    technique.told(at, *proposal, outcome);
    if (static_cast<int>(at.population.members().size()) > mostMembers)
      at.population.prune(at.size, std::max(mostMembers / 3, 1));
  }
  return joined;
}

GrowingResult growThroughSizes(Tester &tester, const std::vector<Configuration> &start, Technique &technique,
                               const GrowingSettings &settings, Random &random) {
  return Growth(tester, technique, settings, random).run(start);
}

} // namespace pbc::tuner
