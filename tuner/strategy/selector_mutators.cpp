#include "tuner/strategy/mutators.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr double kSigma = 1;

std::optional<int> otherThan(int current, const std::vector<int> &alternatives, Random &random) {
  std::vector<int> others;
  for (int alternative : alternatives)
    if (alternative != current) others.push_back(alternative);
  if (others.empty()) return {};
  return others[random.below(others.size())];
}

std::optional<Selector> ifDifferent(const Selector &before, std::optional<Selector> after) {
  if (!after || *after == before) return {};
  return after;
}

/// Mostly 2n/3, so that calls of size n change and those of n/2 keep what earlier sizes found; sometimes
/// anywhere, because other transforms and base cases see much smaller sizes than n.
long newCutoff(long n, Random &random) {
  if (random.chance(0.5)) return std::max(2 * n / 3, 1L);
  return std::max(std::lround(std::exp(random.unit() * std::log(static_cast<double>(std::max(n, 2L))))), 1L);
}

} // namespace

std::optional<Selector> addLevel(const Selector &selector, const std::vector<int> &alternatives, long n,
                                 Random &random) {
  const long cutoff = newCutoff(n, random);
  const int level = selector.levelOf(cutoff);
  const auto use = otherThan(selector.levels()[level].use, alternatives, random);
  if (!use) return {};
  const bool above = random.chance(0.5);
  return ifDifferent(selector, above ? selector.withRange(cutoff, selector.levels()[level].below, *use)
                                     : selector.withRange(selector.lowest(level), cutoff, *use));
}

std::optional<Selector> removeLevel(const Selector &selector, long n, Random &random) {
  if (selector.levels().size() < 2) return {};
  return ifDifferent(selector, selector.withoutLevel(static_cast<int>(random.below(selector.levelOf(n) + 1))));
}

std::optional<Selector> changeLevel(const Selector &selector, const std::vector<int> &alternatives, long n,
                                    Random &random) {
  const int level = static_cast<int>(random.below(selector.levelOf(n) + 1));
  const auto use = otherThan(selector.levels()[level].use, alternatives, random);
  if (!use) return {};
  return ifDifferent(selector, selector.withUse(level, *use));
}

std::optional<Selector> scaleCutoff(const Selector &selector, long n, Random &random) {
  // The cut-off right above n counts too: scaled down, it brings the next level into sight.
  const int cutoffs = static_cast<int>(selector.levels().size()) - 1;
  const int reachable = std::min(cutoffs, selector.levelOf(n) + 1);
  if (reachable == 0) return {};
  const int level = static_cast<int>(random.below(reachable));
  const double scaled = static_cast<double>(selector.levels()[level].below) * random.lognormal(kSigma);
  return ifDifferent(selector, selector.withCutoff(level, std::lround(std::min(scaled, 1e15))));
}

} // namespace pbc::tuner
