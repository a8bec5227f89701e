// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/predicted_choices.h"

#include <algorithm>
#include <optional>

namespace pbc::tuner {
namespace {

constexpr double kFaster = 1.02;

/// The number of an alternative of a site; -1: it has none of this name.
int useNamed(const Site &site, const std::string &name) {
  const auto at = std::ranges::find(site.alternatives, name, &Alternative::name);
  return at == site.alternatives.end() ? -1 : static_cast<int>(at - site.alternatives.begin());
}

/// Of the main transform; -1: it has none.
int siteWithKey(const ProgramSpace &space, const std::string &key) {
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].transform == space.main && space.sites[i].key == key)
      return static_cast<int>(i);
  return -1;
}

/// By its own schedule, or another one; nothing if that is not predicted.
std::optional<double> secondsBy(const TransformBounds::Prediction &prediction, const std::string &choice) {
  if (choice == "cpu")
    return prediction.seconds;
  const auto at = std::ranges::find(prediction.schedules, choice, &std::pair<std::string, double>::first);
  return at == prediction.schedules.end() ? std::nullopt : std::optional(at->second);
}

bool isPredicted(const TransformBounds::Step &step) {
  return step.prediction && step.prediction->why.empty() && step.prediction->seconds > 0;
}

/// With the choices of a configuration.
std::optional<double> secondsOf(const TransformBounds::Alternative &alternative, const ProgramSpace &space,
                                const Configuration &configuration, long n) {
  double seconds = 0;
  for (const TransformBounds::Step &step : alternative.steps) {
    if (!isPredicted(step))
      return {};
    const int place = siteWithKey(space, "place_" + step.name);
    std::string choice = "cpu";
    if (place >= 0)
      choice = space.sites[std::size_t(place)]
                   .alternatives[std::size_t(configuration.selectors()[std::size_t(place)].select(n))]
                   .name;
    const std::optional<double> own = secondsBy(*step.prediction, choice);
    if (!own)
      return {};
    seconds += *own;
  }
  return seconds;
}

/// The alternative, with the fastest schedule of each of its rules; nothing if the search may not choose it.
std::optional<Configuration> fastestOf(const TransformBounds::Alternative &alternative,
                                       const ProgramSpace &space, const Configuration &defaults) {
  Configuration made = defaults;
  if (const int choice = siteWithKey(space, "choice"); choice >= 0) {
    const Site &site = space.sites[std::size_t(choice)];
    const int use = useNamed(site, alternative.name);
    if (use < 0 || (!site.isOpen() && Selector(use) != site.initial))
      return {};
    made = made.withSelector(choice, Selector(use));
  }
  for (const TransformBounds::Step &step : alternative.steps) {
    const int place = siteWithKey(space, "place_" + step.name);
    if (!isPredicted(step) || place < 0 || !space.sites[std::size_t(place)].isOpen())
      continue;
    double best = step.prediction->seconds;
    int fastest = useNamed(space.sites[std::size_t(place)], "cpu");
    for (const auto &[choice, seconds] : step.prediction->schedules)
      if (const int use = useNamed(space.sites[std::size_t(place)], choice);
          use >= 0 && seconds * kFaster < best) {
        best = seconds;
        fastest = use;
      }
    if (fastest >= 0)
      made = made.withSelector(place, Selector(fastest));
  }
  return made;
}

} // namespace

std::vector<PredictedSeed> predictedChoices(const ProgramSpace &space, const TransformBounds &bounds, long n,
                                            std::size_t most) {
  const Configuration defaults = Configuration::defaults(space);
  const TransformBounds::Alternative *own = chosenAlternative(bounds, space, defaults, n);
  const std::optional<double> byDefault = own ? secondsOf(*own, space, defaults, n) : std::nullopt;
  std::vector<PredictedSeed> found;
  if (!byDefault)
    return found;
  for (const TransformBounds::Alternative &alternative : bounds.alternatives)
    if (const std::optional<Configuration> made = fastestOf(alternative, space, defaults))
      if (const std::optional<double> seconds = secondsOf(alternative, space, *made, n);
          seconds && *byDefault > kFaster * *seconds)
        found.push_back({*made, *byDefault / *seconds});
  std::ranges::stable_sort(found, std::greater<>(), &PredictedSeed::timesAsFast);
  found.resize(std::min(found.size(), most));
  return found;
}

} // namespace pbc::tuner
