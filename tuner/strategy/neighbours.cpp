// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/neighbours.h"

#include "tuner/strategy/mutators.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

/// Collects configurations that differ from the starting one.
struct Collector {
  const Configuration &origin;
  std::vector<Configuration> found;

  void add(Configuration configuration) {
    if (configuration != origin && std::find(found.begin(), found.end(), configuration) == found.end())
      found.push_back(std::move(configuration));
  }
};

/// Sizes from `begin` to `end`, n among them, take another alternative than n does.
void changeRange(const ProgramSpace &space, const Bans &bans, int site, long n, long begin, long end,
                 Collector &out) {
  if (!out.origin.mayChangeSite(space, site))
    return;
  const Selector &selector = out.origin.selectors()[site];
  for (int use : bans.allowed(space, site))
    if (use != selector.select(n))
      out.add(out.origin.withSelector(site, selector.withRangeForced(begin, end, use)));
}

void changeLevels(const ProgramSpace &space, const Bans &bans, int site, long n, Collector &out) {
  if (!out.origin.mayChangeSite(space, site) || space.isOpenFromOnly(space.sites[site]))
    return;
  const Selector &selector = out.origin.selectors()[site];
  for (int level = selector.levelOf(n); level >= 0; --level) {
    for (double factor : {0.5, 2.0, 0.7, 1.4})
      if (level + 1 < static_cast<int>(selector.levels().size()))
        out.add(out.origin.withSelector(
            site, selector.withCutoff(
                      level, std::lround(static_cast<double>(selector.levels()[level].below) * factor))));
    for (int use : bans.allowed(space, site))
      if (use != selector.levels()[level].use)
        out.add(out.origin.withSelector(site, selector.withUse(level, use)));
    if (selector.levels().size() > 1)
      out.add(out.origin.withSelector(site, selector.withoutLevel(level)));
  }
}

/// For sizes, halving and doubling, and a factor of eight, because a gain of 2 % for each doubling is hidden
/// by noise; for others (a ratio in eighths, a flag) the nearest steps.
void changeTunable(const ProgramSpace &space, int index, long n, Collector &out) {
  const Tunable &tunable = space.tunables[index];
  const double value = out.origin.tunables()[index];
  const double width = tunable.maximum - tunable.minimum;
  const double step = tunable.integer ? std::max(1.0, std::round(width / 16)) : width / 16;
  const std::vector<double> values =
      tunable.logarithmic
          ? std::vector<double>{value / 2, std::max(value * 2, 1.0), value / 8, std::max(value * 8, 8.0)}
          : std::vector<double>{value - step, value + step};
  for (double changed : values)
    out.add(out.origin.withValueAt(space, index, tunable.clamp(changed), n));
}

} // namespace

std::vector<Configuration> forcedAlternatives(const ProgramSpace &space) {
  const Configuration defaults = Configuration::defaults(space);
  std::vector<Configuration> result{defaults};
  for (std::size_t site = 0; site < space.sites.size(); ++site)
    for (int use = 0; use < static_cast<int>(space.sites[site].alternatives.size()); ++use)
      if (space.sites[site].isOpen() && Selector(use) != space.sites[site].initial)
        result.push_back(defaults.withSelector(static_cast<int>(site), Selector(use)));
  return result;
}

std::vector<Configuration> topLevelChanges(const ProgramSpace &space, const Bans &bans,
                                           const Configuration &origin, long n) {
  Collector out{origin, {}};
  for (std::size_t site = 0; site < space.sites.size(); ++site)
    changeRange(space, bans, static_cast<int>(site), n, bandStart(n), kNoLimit, out);
  for (std::size_t index = 0; index < space.tunables.size(); ++index)
    if (const Tunable &tunable = space.tunables[index];
        tunable.isThreads() && origin.mayChange(space, static_cast<int>(index), n))
      for (const double threads : {tunable.maximum, tunable.minimum})
        out.add(origin.withTunable(static_cast<int>(index), threads));
  return out.found;
}

std::vector<Configuration> bandChanges(const ProgramSpace &space, const Bans &bans,
                                       const Configuration &origin, long m) {
  Collector out{origin, {}};
  for (std::size_t site = 0; site < space.sites.size(); ++site)
    if (!space.isOpenFromOnly(space.sites[site]))
      changeRange(space, bans, static_cast<int>(site), m, bandStart(m), bandEnd(m), out);
  return out.found;
}

std::vector<Configuration> changesBelow(const ProgramSpace &space, const Bans &bans,
                                        const Configuration &origin, long m) {
  Collector out{origin, {}};
  for (std::size_t site = 0; site < space.sites.size(); ++site)
    if (!space.isOpenFromOnly(space.sites[site]))
      changeRange(space, bans, static_cast<int>(site), m, 0, bandEnd(m), out);
  return out.found;
}

std::vector<Configuration> neighbours(const ProgramSpace &space, const Bans &bans,
                                      const Configuration &origin, long n) {
  Collector out{origin, {}};
  for (std::size_t site = 0; site < space.sites.size(); ++site) {
    changeRange(space, bans, static_cast<int>(site), n, bandStart(n), kNoLimit, out);
    changeLevels(space, bans, static_cast<int>(site), n, out);
  }
  for (std::size_t index = 0; index < space.tunables.size(); ++index)
    if (origin.mayChange(space, static_cast<int>(index), n))
      changeTunable(space, static_cast<int>(index), n, out);
  return out.found;
}

} // namespace pbc::tuner
