// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the Tester does with the results of an examination: finds the cause of failures, and what is left of a
// configuration without it.
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/tester.h"

#include <algorithm>

namespace pbc::tuner {
namespace {

TestSize sizeOf(const Misfit &misfit) { return {misfit.size, misfit.n, 0}; }

/// The selector that takes this alternative where the other one does, and the default elsewhere.
Selector only(const Selector &selector, int alternative, int byDefault) {
  return selector.withUses(
      [&](int level) { return selector.levels()[level].use == alternative ? alternative : byDefault; });
}

/// The selector with this alternative replaced at all sizes.
Selector without(const Selector &selector, int alternative, int instead) {
  return selector.withUses([&](int level) {
    const int use = selector.levels()[level].use;
    return use == alternative ? instead : use;
  });
}

} // namespace

void Tester::screen() {
  constexpr long kBase = 12; // a rule that calls its own transform needs another one for small sizes
  isScreened_ = true;
  const Configuration defaults = Configuration::defaults(space_);
  std::vector<Configuration> forced = forcedAlternatives(space_);
  forced.erase(forced.begin());
  const double deadline = evaluator_.elapsed() + runs_.screening;
  std::vector<std::optional<Misfit>> misfits = evaluator_.examine(forced, Depth::Quick, deadline);
  std::vector<Configuration> based;
  for (std::size_t i = 0; i < forced.size(); ++i) {
    if (!misfits[i])
      continue;
    bans_.convicted(space_, forced[i], defaults, sizeOf(*misfits[i]), misfits[i]->rejected);
    if (misfits[i]->rejected.kind != Failure::TooSlow)
      quarantined_.insert(forced[i].key());
    if (misfits[i]->rejected.kind == Failure::WrongResult)
      continue;
    for (std::size_t site = 0; site < space_.sites.size(); ++site)
      if (const Selector &selector = forced[i].selectors()[site]; selector != defaults.selectors()[site])
        if (const auto upper =
                defaults.selectors()[site].withRange(kBase, kNoLimit, selector.select(kNoLimit)))
          based.push_back(defaults.withSelector(static_cast<int>(site), *upper));
  }
  misfits = evaluator_.examine(based, Depth::Quick, deadline);
  for (std::size_t i = 0; i < based.size(); ++i)
    if (misfits[i] && misfits[i]->rejected.kind == Failure::WrongResult)
      bans_.convicted(space_, based[i], defaults, sizeOf(*misfits[i]), misfits[i]->rejected);
}

std::vector<Tester::Alone> Tester::eachAlone(const Configuration &configuration, int size) const {
  const Configuration defaults = Configuration::defaults(space_);
  const long n = sizes_[static_cast<std::size_t>(size)].n;
  std::vector<Alone> all;
  for (int site = 0; site < static_cast<int>(space_.sites.size()); ++site) {
    const Selector &selector = configuration.selectors()[static_cast<std::size_t>(site)];
    const int byDefault = defaults.selectors()[static_cast<std::size_t>(site)].select(n);
    for (const int alternative : selector.usedUpTo(n))
      if (alternative != byDefault)
        all.push_back(
            {site, alternative, defaults.withSelector(site, only(selector, alternative, byDefault))});
  }
  return all;
}

void Tester::seekWrong(const Configuration &configuration, int size) {
  for (const Alone &one : eachAlone(configuration, size)) {
    if (bans_.banned(one.site, one.alternative, 0) || evaluator_.stopped() || !isAllowed(1) ||
        !triedAlone_.emplace(one.site, one.alternative, size).second)
      continue;
    const Measurement result =
        measure({one.configuration, size, 1, std::max(limit(size), 3 * defaultAt(size)), true});
    if (result.rejected && result.rejected->kind == Failure::WrongResult)
      bans_.convicted(space_, one.configuration, Configuration::defaults(space_),
                      sizes_[static_cast<std::size_t>(size)], *result.rejected);
  }
}

bool Tester::staysRight(const Configuration &configuration, int size) {
  constexpr double kMany = 50, kFew = 3, kMost = 0.5; // runs, and seconds of them
  const int runs = static_cast<int>(std::clamp(kMost / std::max(bestAt(size), 1e-6), kFew, kMany));
  const auto look = [&](const Configuration &one) {
    evaluator_.renew();
    const Measurement last =
        measure({one, size, runs, std::max(10 * defaultAt(size), 1.0), true, Compared::Last});
    if (last.rejected || last.seconds.empty())
      return last.rejected;
    return evaluator_.confirm(one, size, defaultAt(size), median(last.seconds));
  };
  const std::optional<Rejected> rejected = look(configuration);
  if (!rejected)
    return true;
  quarantined_.insert(configuration.key());
  const TestSize &at = sizes_[static_cast<std::size_t>(size)];
  const Configuration defaults = Configuration::defaults(space_);
  bool isNamed = false;
  for (const Alone &one : eachAlone(configuration, size)) {
    if (evaluator_.stopped())
      break;
    if (const auto why = look(one.configuration); why && why->kind == rejected->kind) {
      bans_.convicted(space_, one.configuration, defaults, at, *why);
      isNamed = true;
    }
  }
  if (!isNamed)
    bans_.convicted(space_, configuration, defaults, at, *rejected);
  return false;
}

bool Tester::isRefuted(const Configuration &configuration, int size, double byDefault, double seconds) {
  const std::optional<Rejected> rejected = evaluator_.confirm(configuration, size, byDefault, seconds);
  if (!rejected)
    return false;
  quarantined_.insert(configuration.key());
  bans_.convicted(space_, configuration, Configuration::defaults(space_),
                  sizes_[static_cast<std::size_t>(size)], *rejected);
  return true;
}

std::optional<Configuration> Tester::repaired(const Configuration &configuration, const Misfit &misfit,
                                              double deadline) {
  const Configuration defaults = Configuration::defaults(space_);
  std::vector<Configuration> fewer;
  for (std::size_t i = 0; i < space_.sites.size(); ++i)
    for (int alternative : configuration.selectors()[i].usedUpTo(misfit.n))
      if (alternative != defaults.selectors()[i].select(misfit.n))
        fewer.push_back(configuration.withSelector(
            static_cast<int>(i),
            without(configuration.selectors()[i], alternative, defaults.selectors()[i].select(misfit.n))));
  for (std::size_t i = 0; i < space_.tunables.size(); ++i)
    if (configuration.tunables()[i] != defaults.tunables()[i])
      fewer.push_back(configuration.withTunable(static_cast<int>(i), defaults.tunables()[i]));
  for (const Configuration &candidate : fewer)
    if (candidate != defaults && !evaluator_.examine({candidate}, Depth::Thorough, deadline).front()) {
      bans_.convicted(space_, configuration, candidate, sizeOf(misfit), misfit.rejected);
      return candidate;
    }
  bans_.convicted(space_, configuration, defaults, sizeOf(misfit), misfit.rejected);
  return {};
}

std::vector<Configuration> Tester::sound(const std::vector<Configuration> &all, double deadline) {
  const std::vector<std::optional<Misfit>> misfits = evaluator_.examine(all, Depth::Thorough, deadline);
  std::vector<Configuration> result;
  const auto add = [&](const Configuration &configuration) {
    if (std::find(result.begin(), result.end(), configuration) == result.end())
      result.push_back(configuration);
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!misfits[i]) {
      add(all[i]);
      continue;
    }
    quarantined_.insert(all[i].key());
    if (const auto rest = repaired(all[i], *misfits[i], deadline))
      add(*rest);
  }
  return result;
}

void Tester::noteFailure(const Configuration &configuration, int size, const Rejected &rejected) {
  bans_.failed(space_, configuration, Configuration::defaults(space_), sizes_[static_cast<std::size_t>(size)],
               rejected);
}

} // namespace pbc::tuner
