// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/tester.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

constexpr double kTesterPatience = 1.5; // [R]
constexpr double kSlack = 0.002;        // seconds: the shortest times are mostly noise

} // namespace

Tester::Tester(const ProgramSpace &space, std::vector<TestSize> sizes, Evaluator &evaluator,
               Observer &observer, Runs runs)
    : space_(space), sizes_(std::move(sizes)), evaluator_(evaluator), observer_(observer), runs_(runs),
      defaultKey_(Configuration::defaults(space).key()) {}

double Tester::defaultAt(int size) const {
  const auto found = defaultSeconds_.find(size);
  return found == defaultSeconds_.end() ? sizes_[size].defaultSeconds : typicalSeconds(found->second);
}

double Tester::bestAt(int size) const {
  const auto found = bestSeconds_.find(size);
  return found == bestSeconds_.end() ? defaultAt(size) : typicalSeconds(found->second);
}

double Tester::limit(int size) const {
  // A bound that 95 % of the best configuration's runs do not exceed. Before anything is known, three times
  // the default's time.
  const auto best = bestSeconds_.find(size);
  if (best != bestSeconds_.end())
    return kTesterPatience * upperBound(best->second) + kSlack;
  return sizes_[size].defaultSeconds > 0 ? 3 * sizes_[size].defaultSeconds + kSlack : 3600;
}

bool Tester::test(Candidate &candidate, int size, int trials, const Configuration &parent, bool isFresh) {
  const std::string key = candidate.configuration.key();
  if (quarantined_.contains(key) || rejectedAt_.contains({size, key}))
    return false;
  if (!isScreened_)
    screen();
  if (evaluator_.stopped() || quarantined_.contains(key))
    return false;
  // The default is the reference and has no limit.
  const bool isDefault = key == defaultKey_;
  if (!isDefault && !candidate.measuredAt(size) && cannotWin(candidate.configuration, size)) {
    rejectedAt_.emplace(size, key);
    tooSlowAt_.emplace(size, key);
    return false;
  }
  const double most = isDefault ? std::max(20 * limit(size), 10.0) : limit(size);
  Measurement result = measure({candidate.configuration, size, trials, most, isFresh,
                                candidate.measuredAt(size) ? Compared::Nothing : Compared::First});
  const bool isDoubtful = result.rejected && result.rejected->kind == Failure::TooSlow && !isDefault &&
                          bans_.isLastStrike(space_, candidate.configuration, parent, sizes_[size]);
  const bool mayLookAgain = isAllowed(kMeasurementsOfAgain);
  if (isDoubtful && mayLookAgain)
    result = again(candidate.configuration, size);
  if (evaluator_.stopped() && result.seconds.empty())
    return false;
  if (result.rejected) {
    rejectedAt_.emplace(size, key);
    // It is not accurate enough here: no decision is at fault, and it may be accurate enough at another size.
    if (result.rejected->kind == Failure::Inexact)
      return false;
    if (result.rejected->kind == Failure::TooSlow)
      tooSlowAt_.emplace(size, key);
    else
      quarantined_.insert(key);
    if (isDoubtful && !mayLookAgain)
      return false; // no alternative is banned without a second look
    bans_.failed(space_, candidate.configuration, parent, sizes_[size], *result.rejected);
    if (result.rejected->kind == Failure::WrongResult)
      seekWrong(candidate.configuration, size);
    return false;
  }
  std::vector<double> &seconds = candidate.seconds[size];
  seconds.insert(seconds.end(), result.seconds.begin(), result.seconds.end());
  for (const double run : result.seconds)
    shortest_[size] = std::min(run, shortest_.try_emplace(size, run).first->second);
  bans_.worked(candidate.configuration, sizes_[size]);
  if (isDefault)
    defaultSeconds_[size] = seconds;
  const auto best = bestSeconds_.find(size);
  if (best == bestSeconds_.end() || typicalSeconds(seconds) < typicalSeconds(best->second)) {
    bestSeconds_[size] = seconds;
    best_.insert_or_assign(size, candidate.configuration);
  }
  observer_.measured(sizes_[size], measurements_, bestAt(size), defaultAt(size));
  return true;
}

bool Tester::cannotWin(const Configuration &configuration, int size) {
  const double bound = evaluator_.bound(configuration, size);
  if (bound <= 0)
    return false;
  const bool isFull = static_cast<std::size_t>(size) + 1 == sizes_.size();
  const double known = isFull ? bestAt(size) : limit(size);
  if (known <= 0 || bound <= known)
    return false;
  evaluator_.leftOut(configuration, size, bound, known);
  return true;
}

Measurement Tester::again(const Configuration &configuration, int size) {
  double most = limit(size);
  const auto best = best_.find(size);
  if (best != best_.end()) {
    const Measurement incumbent =
        measure({best->second, size, kAgain, std::max(20 * most, 10.0), true, Compared::Nothing});
    if (!incumbent.seconds.empty()) {
      most = std::max(most, kTesterPatience * typicalSeconds(incumbent.seconds) + kSlack);
      // New times of the best configuration also change the limits of others.
      std::vector<double> &known = bestSeconds_[size];
      known.insert(known.end(), incumbent.seconds.begin(), incumbent.seconds.end());
    }
  }
  return measure({configuration, size, kAgain, most, true});
}

bool Tester::measureAnew(Candidate &candidate, int size) {
  const Measurement result = measure(
      {candidate.configuration, size, kAgain, std::max(20 * limit(size), 1.0), true, Compared::Nothing});
  if (result.rejected || result.seconds.empty())
    return false;
  candidate.seconds[size] = result.seconds;
  const auto best = bestSeconds_.find(size);
  if (best == bestSeconds_.end() || typicalSeconds(result.seconds) < typicalSeconds(best->second)) {
    bestSeconds_[size] = result.seconds;
    best_.insert_or_assign(size, candidate.configuration);
  }
  return true;
}

void Tester::forgetTimes(int size) {
  bestSeconds_.erase(size);
  best_.erase(size);
  std::erase_if(seen_, [&](const auto &place) { return place.first == size; });
  std::erase_if(rejectedAt_,
                [&](const auto &place) { return place.first == size && tooSlowAt_.contains(place); });
  std::erase_if(tooSlowAt_, [&](const auto &place) { return place.first == size; });
}

bool Tester::beats(Candidate &child, Candidate &parent, int size) {
  for (;;) {
    const Verdict verdict = judge(child.seconds[size], parent.seconds[size], noise_[size].deviation());
    if (verdict != Verdict::Unclear) {
      noise_[size].learn(child.seconds[size]);
      return verdict == Verdict::Faster;
    }
    Candidate *next = child.seconds[size].size() <= parent.seconds[size].size() ? &child : &parent;
    if (static_cast<int>(next->seconds[size].size()) >= runs_.most) {
      noise_[size].learn(child.seconds[size]);
      return false; // not measurably better than its parent
    }
    if (!isAllowed(1))
      return false;
    if (!test(*next, size, parent.configuration))
      return next == &parent && !evaluator_.stopped();
  }
}

bool Tester::isNew(const Configuration &configuration, int size) {
  const std::string key = configuration.key();
  return !quarantined_.contains(key) && seen_.emplace(size, key).second;
}

} // namespace pbc::tuner
