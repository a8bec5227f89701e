// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/mutators.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr double kSigma = 1;

std::optional<int> otherThan(int current, const std::vector<int> &alternatives, Random &random) {
  std::vector<int> others;
  for (int alternative : alternatives)
    if (alternative != current)
      others.push_back(alternative);
  if (others.empty())
    return {};
  return others[random.below(others.size())];
}

std::optional<Selector> ifDifferent(const Selector &before, std::optional<Selector> after) {
  if (!after || *after == before)
    return {};
  return after;
}

/// Any size up to n, uniformly on a logarithmic scale.
long anyScale(long n, Random &random) {
  const double logarithm = std::log(static_cast<double>(std::max(n, 2L)));
  return std::max(std::lround(std::exp(random.unit() * logarithm)), 1L);
}

} // namespace

long bandStart(long n) { return std::max({2 * n / 3, n / 2 + 1, 1L}); }

long bandEnd(long n) { return std::max(4 * n / 3, n + 1); }

std::optional<Selector> addLevel(const Selector &selector, const std::vector<int> &alternatives, long n,
                                 Random &random) {
  // Mostly from 2n/3 on, so that calls of size n change and those of n/2 keep what was found at earlier
  // sizes; sometimes around any smaller size, because other transforms and base cases are called with those.
  const bool top = random.chance(0.5);
  const long scale = top ? n : anyScale(n, random);
  const auto use = otherThan(selector.select(scale), alternatives, random);
  if (!use)
    return {};
  return ifDifferent(selector,
                     selector.withRangeForced(bandStart(scale), top ? kNoLimit : bandEnd(scale), *use));
}

std::optional<Selector> removeLevel(const Selector &selector, long n, Random &random) {
  if (selector.levels().size() < 2)
    return {};
  return ifDifferent(selector,
                     selector.withoutLevel(static_cast<int>(random.below(selector.levelOf(n) + 1))));
}

std::optional<Selector> changeLevel(const Selector &selector, const std::vector<int> &alternatives, long n,
                                    Random &random) {
  const int level = static_cast<int>(random.below(selector.levelOf(n) + 1));
  const auto use = otherThan(selector.levels()[level].use, alternatives, random);
  if (!use)
    return {};
  return ifDifferent(selector, selector.withUse(level, *use));
}

std::optional<Selector> scaleCutoff(const Selector &selector, long n, Random &random) {
  // The cut-off right above n counts, too: scaled down, it makes the next level reachable.
  const int cutoffs = static_cast<int>(selector.levels().size()) - 1;
  const int reachable = std::min(cutoffs, selector.levelOf(n) + 1);
  if (reachable == 0)
    return {};
  const int level = static_cast<int>(random.below(reachable));
  const double scaled = static_cast<double>(selector.levels()[level].below) * random.lognormal(kSigma);
  return ifDifferent(selector, selector.withCutoff(level, std::lround(std::min(scaled, 1e15))));
}

} // namespace pbc::tuner
