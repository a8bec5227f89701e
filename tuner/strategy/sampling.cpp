// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/sampling.h"

#include "tuner/strategy/mutators.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

constexpr int kMostLevels = 4;

Selector sampleSelector(const std::vector<int> &alternatives, long n, Random &random) {
  Selector selector(alternatives[random.below(alternatives.size())]);
  const double scale = std::log(static_cast<double>(std::max(n, 2L)));
  for (int level = 1; level < kMostLevels && alternatives.size() > 1 && random.chance(0.5); ++level) {
    const long from = std::max(std::lround(std::exp(random.unit() * scale)), 1L);
    selector = selector.withRangeForced(from, kNoLimit, alternatives[random.below(alternatives.size())]);
  }
  return selector;
}

double sampleValue(const Tunable &tunable, Random &random) {
  if (!tunable.logarithmic)
    return tunable.clamp(tunable.minimum +
                         random.unit() * (tunable.maximum - tunable.minimum + (tunable.integer ? 1 : 0)) -
                         (tunable.integer ? 0.5 : 0));
  const double smallest = tunable.minimum > 0
                              ? tunable.minimum
                              : (tunable.integer ? 1 : std::max(tunable.maximum, 1e-300) * 1e-3);
  if (tunable.minimum <= 0 && random.chance(0.1))
    return tunable.clamp(tunable.minimum);
  return tunable.clamp(smallest *
                       std::exp(random.unit() * std::log(std::max(tunable.maximum / smallest, 1.0))));
}

} // namespace

Configuration sample(const ProgramSpace &space, const Bans &bans, long n, Random &random) {
  Configuration result = Configuration::defaults(space);
  for (std::size_t i = 0; i < space.sites.size(); ++i) {
    const int site = static_cast<int>(i);
    const std::vector<int> allowed = bans.allowed(space, site);
    if (!space.sites[i].isOpen() || allowed.empty())
      continue;
    result =
        result.withSelector(site, space.isOpenFromOnly(space.sites[i])
                                      ? result.selectors()[i].withRangeForced(
                                            bandStart(n), kNoLimit, allowed[random.below(allowed.size())])
                                      : sampleSelector(allowed, n, random));
  }
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (result.mayChange(space, static_cast<int>(i), n))
      result = result.withValueAt(space, static_cast<int>(i), sampleValue(space.tunables[i], random), n);
  return result;
}

} // namespace pbc::tuner
