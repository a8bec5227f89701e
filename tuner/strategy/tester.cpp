#include "tuner/strategy/tester.h"

#include <algorithm>

namespace pbc::tuner {

Tester::Tester(const ProgramSpace &space, std::vector<TestSize> sizes, Evaluator &evaluator,
               Observer &observer)
    : space_(space), sizes_(std::move(sizes)), evaluator_(evaluator), observer_(observer),
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
  // 1.5 times what the best needs in 95 % of runs. Before anything is known, three times the default; then a
  // little, because the shortest times are mostly noise.
  constexpr double kSlack = 0.002;
  const auto best = bestSeconds_.find(size);
  if (best != bestSeconds_.end())
    return 1.5 * upperBound(best->second) + kSlack;
  return sizes_[size].defaultSeconds > 0 ? 3 * sizes_[size].defaultSeconds + kSlack : 3600;
}

bool Tester::test(Candidate &candidate, int size, int trials, const Configuration &parent) {
  const std::string key = candidate.configuration.key();
  if (quarantined_.contains(key) || rejectedAt_.contains({size, key}))
    return false;
  if (!isScreened_)
    screen();
  if (evaluator_.stopped() || quarantined_.contains(key))
    return false;
  // The default is the measure of all things and may take its time.
  const bool isDefault = key == defaultKey_;
  const double most = isDefault ? std::max(20 * limit(size), 10.0) : limit(size);
  const Measurement result = evaluator_.measure({candidate.configuration, size, trials, most, false});
  ++measurements_;
  if (evaluator_.stopped() && result.seconds.empty())
    return false;
  if (result.rejected) {
    rejectedAt_.emplace(size, key);
    // Not exact enough here: nobody's fault, and perhaps enough at another size.
    if (result.rejected->kind == Failure::Inexact)
      return false;
    if (result.rejected->kind != Failure::TooSlow)
      quarantined_.insert(key);
    bans_.failed(space_, candidate.configuration, parent, sizes_[size], *result.rejected);
    return false;
  }
  std::vector<double> &seconds = candidate.seconds[size];
  seconds.insert(seconds.end(), result.seconds.begin(), result.seconds.end());
  bans_.worked(candidate.configuration, sizes_[size]);
  if (isDefault)
    defaultSeconds_[size] = seconds;
  auto [best, first] = bestSeconds_.try_emplace(size, seconds);
  if (!first && typicalSeconds(seconds) < typicalSeconds(best->second))
    best->second = seconds;
  observer_.measured(sizes_[size], measurements_, bestAt(size), defaultAt(size));
  return true;
}

bool Tester::beats(Candidate &child, Candidate &parent, int size) {
  for (;;) {
    const Verdict verdict = judge(child.seconds[size], parent.seconds[size], noise_[size].deviation());
    if (verdict != Verdict::Unclear) {
      noise_[size].learn(child.seconds[size]);
      return verdict == Verdict::Faster;
    }
    Candidate *next = child.seconds[size].size() <= parent.seconds[size].size() ? &child : &parent;
    if (next->seconds[size].size() >= kMostTrials) {
      noise_[size].learn(child.seconds[size]);
      return false; // no better than its parent, as far as one can see
    }
    if (!test(*next, size, 1, parent.configuration))
      return next == &parent && !evaluator_.stopped();
  }
}

bool Tester::isNew(const Configuration &configuration, int size) {
  const std::string key = configuration.key();
  return !quarantined_.contains(key) && seen_.emplace(size, key).second;
}

} // namespace pbc::tuner
