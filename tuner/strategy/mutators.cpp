// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/strategy/mutators.h"

#include "tuner/strategy/bans.h"

#include <algorithm>
#include <cmath>

namespace pbc::tuner {
namespace {

struct Decision {
  bool isSite = true;
  int index = 0;
};

std::vector<Decision> openDecisions(const ProgramSpace &space, const Configuration &now, long n) {
  std::vector<Decision> result;
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (now.mayChangeSite(space, static_cast<int>(i)))
      result.push_back({true, static_cast<int>(i)});
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (now.mayChange(space, static_cast<int>(i), n))
      result.push_back({false, static_cast<int>(i)});
  return result;
}

std::optional<Selector> mutateSelector(const Selector &selector, const std::vector<int> &alternatives, long n,
                                       Random &random) {
  switch (random.below(4)) {
  case 0:
    return addLevel(selector, alternatives, n, random);
  case 1:
    return removeLevel(selector, n, random);
  case 2:
    return changeLevel(selector, alternatives, n, random);
  default:
    return scaleCutoff(selector, n, random);
  }
}

/// Takes another alternative from about n on.
std::optional<Selector> changeFromOn(const Selector &selector, std::vector<int> alternatives, long n,
                                     Random &random) {
  std::erase(alternatives, selector.select(n));
  if (alternatives.empty())
    return {};
  return selector.withRangeForced(bandStart(n), kNoLimit, alternatives[random.below(alternatives.size())]);
}

std::optional<Configuration> mutateOnce(const ProgramSpace &space, const Bans &bans,
                                        const Configuration &parent, const Decision &decision, long n,
                                        Random &random) {
  if (decision.isSite) {
    const Selector &old = parent.selectors()[decision.index];
    const std::vector<int> allowed = bans.allowed(space, decision.index);
    const auto selector = space.isOpenFromOnly(space.sites[decision.index])
                              ? changeFromOn(old, allowed, n, random)
                              : mutateSelector(old, allowed, n, random);
    if (!selector)
      return {};
    return parent.withSelector(decision.index, *selector);
  }
  const auto value = changeTunable(space.tunables[decision.index], parent.tunables()[decision.index], random);
  if (!value)
    return {};
  return parent.withValueAt(space, decision.index, *value, n);
}

} // namespace

std::optional<double> changeTunable(const Tunable &tunable, double value, Random &random) {
  double changed;
  if (tunable.logarithmic) {
    // A factor cannot change 0 or a negative value, so the smallest positive step replaces it.
    const double smallest = tunable.integer ? 1.0 : (tunable.maximum - tunable.minimum) * 1e-3;
    changed = std::max(value, smallest) * random.lognormal(1);
  } else if (tunable.integer) {
    const double count = std::floor(tunable.maximum) - std::ceil(tunable.minimum) + 1;
    changed = std::ceil(tunable.minimum) +
              static_cast<double>(random.below(static_cast<std::uint64_t>(std::max(count, 1.0))));
  } else {
    changed = tunable.minimum + random.unit() * (tunable.maximum - tunable.minimum);
  }
  changed = tunable.clamp(changed);
  if (changed == value)
    return {};
  return changed;
}

std::optional<Configuration> mutate(const ProgramSpace &space, const Bans &bans, const Configuration &parent,
                                    long n, Random &random) {
  const std::vector<Decision> decisions = openDecisions(space, parent, n);
  if (decisions.empty())
    return {};
  const double dice = random.unit();
  const int wanted = dice < 0.6 ? 1 : dice < 0.85 ? 2 : 3;
  Configuration child = parent;
  constexpr int kRetries = 10; // many mutators cannot change a selector of one level
  for (int done = 0, tries = 0; done < wanted && tries < kRetries; ++tries) {
    const auto next = mutateOnce(space, bans, child, decisions[random.below(decisions.size())], n, random);
    if (!next)
      continue;
    child = *next;
    ++done;
  }
  if (child == parent)
    return {};
  return child;
}

} // namespace pbc::tuner
