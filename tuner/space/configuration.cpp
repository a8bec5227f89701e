// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/space/configuration.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::tuner {

Configuration Configuration::defaults(const ProgramSpace &space) {
  Configuration result;
  for (const Site &site : space.sites)
    result.selectors_.push_back(site.initial);
  for (const Tunable &tunable : space.tunables)
    result.tunables_.push_back(tunable.clamp(tunable.initial));
  return result;
}

Configuration Configuration::withSelector(int site, Selector selector) const {
  Configuration result = *this;
  result.selectors_.at(site) = std::move(selector);
  return result;
}

Configuration Configuration::withTunable(int tunable, double value) const {
  Configuration result = *this;
  result.tunables_.at(tunable) = value;
  return result;
}

bool Configuration::reaches(const ProgramSpace &space, const std::vector<Condition> &reachedBy) const {
  constexpr int kDeepest = 8; // depth of calls from which on a transform is assumed to be reached
  const auto isReached = [&](const auto &self, const std::vector<Condition> &conditions, int depth) -> bool {
    return conditions.empty() || depth == 0 ||
           std::ranges::any_of(conditions, [&](const Condition &condition) {
             const auto site = static_cast<std::size_t>(condition.site);
             return std::ranges::any_of(selectors_[site].levels(),
                                        [&](const Level &level) {
                                          return std::ranges::count(condition.uses, level.use) > 0;
                                        }) &&
                    self(self, space.sites[site].reachedBy, depth - 1);
           });
  };
  return isReached(isReached, reachedBy, kDeepest);
}

bool Configuration::mayChangeSite(const ProgramSpace &space, int site) const {
  const Site &s = space.sites[static_cast<std::size_t>(site)];
  return s.isOpen() && reaches(space, s.reachedBy);
}

bool Configuration::mayChange(const ProgramSpace &space, int tunable, long n) const {
  return space.isOpenAt(space.tunables[static_cast<std::size_t>(tunable)], n) && hasEffect(space, tunable, n);
}

bool Configuration::hasEffect(const ProgramSpace &space, int tunable, long n) const {
  const Tunable &t = space.tunables[static_cast<std::size_t>(tunable)];
  if (!t.isSeenUpTo(n) || !reaches(space, t.reachedBy))
    return false;
  const auto holds = [&](const Condition &condition) {
    const std::vector<int> used = selectors_[static_cast<std::size_t>(condition.site)].usedUpTo(n);
    return std::ranges::any_of(used, [&](int use) { return std::ranges::count(condition.uses, use) > 0; });
  };
  return t.when.empty() || std::ranges::any_of(t.when, holds);
}

double Configuration::limited(const ProgramSpace &space, int tunable, double value) const {
  const Tunable &t = space.tunables[static_cast<std::size_t>(tunable)];
  for (const Constraint &constraint : space.constraints) {
    if (!std::ranges::count(constraint.tunables, tunable))
      continue;
    double others = 1;
    for (const int other : constraint.tunables)
      if (other != tunable)
        others *= tunables_[static_cast<std::size_t>(other)];
    if (others > 0 && value * others > constraint.most)
      value = t.clamp(t.integer ? std::floor(constraint.most / others) : constraint.most / others);
  }
  return value;
}

Configuration Configuration::withValueAt(const ProgramSpace &space, int tunable, double wanted,
                                         long n) const {
  const double value = limited(space, tunable, wanted);
  Configuration result = withTunable(tunable, value);
  const Tunable &changed = space.tunables[static_cast<std::size_t>(tunable)];
  if (changed.sizeBin < 0 || !changed.isSeenAt(n))
    return result;
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].isSameAs(changed) && space.tunables[i].sizeBin > changed.sizeBin)
      result.tunables_[i] = value;
  return result;
}

Configuration Configuration::withSmallerLike(const ProgramSpace &space, long n) const {
  Configuration result = *this;
  for (std::size_t i = 0; i < space.tunables.size(); ++i) {
    const Tunable &like = space.tunables[i];
    if (like.transform != space.main || like.sizeBin < 0 || !like.isSeenAt(n))
      continue;
    for (std::size_t k = 0; k < i; ++k)
      if (space.tunables[k].isSameAs(like))
        result.tunables_[k] = tunables_[i];
  }
  return result;
}

Configuration Configuration::withLargerFrom(const ProgramSpace &space, const Configuration &other,
                                            long n) const {
  Configuration result = *this;
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].transform == space.main && !space.tunables[i].isSeenUpTo(n))
      result.tunables_[i] = other.tunables_[i];
  return result;
}

bool Configuration::fits(const ProgramSpace &space) const {
  if (selectors_.size() != space.sites.size() || tunables_.size() != space.tunables.size())
    return false;
  for (std::size_t i = 0; i < selectors_.size(); ++i)
    for (const Level &level : selectors_[i].levels())
      if (level.use < 0 || level.use >= static_cast<int>(space.sites[i].alternatives.size()))
        return false;
  for (std::size_t i = 0; i < tunables_.size(); ++i)
    if (space.tunables[i].clamp(tunables_[i]) != tunables_[i])
      return false;
  return true;
}

std::string Configuration::key() const {
  std::string result;
  for (const Selector &selector : selectors_) {
    for (const Level &level : selector.levels())
      result += level.below == kNoLimit ? fmt::format("{};", level.use)
                                        : fmt::format("{}<{}:", level.use, level.below);
  }
  for (double value : tunables_)
    result += fmt::format("|{}", value);
  return result;
}

int Configuration::complexity() const {
  int levels = 0;
  for (const Selector &selector : selectors_)
    levels += static_cast<int>(selector.levels().size()) - 1;
  return levels;
}

} // namespace pbc::tuner
