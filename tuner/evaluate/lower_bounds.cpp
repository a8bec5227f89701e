// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/lower_bounds.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using Json = nlohmann::json;

/// "1.23 ms"
std::string shortTime(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.3g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.3g} ms", seconds * 1e3)
                        : fmt::format("{:.3g} s", seconds);
}

int threadsOf(const ProgramSpace &space, const Configuration &configuration) {
  for (std::size_t i = 0; i < space.tunables.size(); ++i)
    if (space.tunables[i].isThreads())
      return static_cast<int>(configuration.tunables()[i]);
  return 0;
}

/// The site at which the main transform chooses its rules; -1: there is none, since it has one alternative.
int choiceOfMain(const ProgramSpace &space) {
  for (std::size_t i = 0; i < space.sites.size(); ++i)
    if (space.sites[i].transform == space.main && space.sites[i].key == "choice")
      return static_cast<int>(i);
  return -1;
}

/// Whether the step runs on the processor, and on it alone.
bool isOnProcessor(const ProgramSpace &space, const Configuration &configuration, const std::string &step,
                   long n) {
  for (std::size_t i = 0; i < space.sites.size(); ++i) {
    const Site &site = space.sites[i];
    if (site.transform != space.main || site.key != "place_" + step)
      continue;
    const int use = configuration.selectors()[i].select(n);
    const std::string &name = site.alternatives[static_cast<std::size_t>(use)].name;
    return name == "cpu" || name.starts_with("cpu:");
  }
  return true;
}

TransformBounds::Prediction predictionOf(const Json &json) {
  TransformBounds::Prediction made{"", json.at("verdict"), json.at("seconds"),
                                   {}, json.at("try"),     json.at("times_as_fast")};
  for (const Json &one : json.at("elasticities"))
    made.elasticities.emplace_back(one.at("parameter"), one.at("value"));
  for (const Json &one : json.value("schedules", Json::array()))
    made.schedules.emplace_back(one.at("choice"), one.at("seconds"));
  for (const Json &one : json.value("regions", Json::array()))
    made.lines.emplace_back(one.at("where"), one.at("value"));
  return made;
}

void add(Json &step, const TransformBounds::Prediction &p) {
  if (!p.why.empty()) {
    step["why_no_prediction"] = p.why;
    return;
  }
  Json elasticities = Json::array();
  for (const auto &[parameter, value] : p.elasticities)
    elasticities.push_back({{"parameter", parameter}, {"value", value}});
  step["prediction"] = {{"seconds", p.seconds},
                        {"verdict", p.verdict},
                        {"elasticities", std::move(elasticities)},
                        {"try", p.script},
                        {"times_as_fast", p.timesAsFast}};
  for (const auto &[choice, seconds] : p.schedules)
    step["prediction"]["schedules"].push_back({{"choice", choice}, {"seconds", seconds}});
  for (const auto &[where, value] : p.lines)
    step["prediction"]["regions"].push_back({{"where", where}, {"value", value}});
}

TransformBounds::Step stepOf(const Json &json) {
  TransformBounds::Step step;
  step.name = json.at("name");
  if (json.contains("prediction"))
    step.prediction = predictionOf(json.at("prediction"));
  else if (json.contains("why_no_prediction"))
    step.prediction = TransformBounds::Prediction{.why = json.at("why_no_prediction")};
  step.why = json.value("why_no_bound", "");
  for (const Json &on : json.value("bounds", Json::array()))
    step.on.push_back({on.at("cores"), on.at("seconds"), on.at("limit"), on.at("of"), on.at("adds_up"),
                       on.at("derivation"), on.at("remedy")});
  return step;
}

} // namespace

TransformBounds parseBounds(const std::string &text, const std::string &transform,
                            std::map<std::string, std::string> *hashes) {
  TransformBounds bounds;
  try {
    const Json root = Json::parse(text);
    for (const Json &t : root.at("transforms")) {
      if (hashes)
        (*hashes)[t.at("name")] = t.at("hash");
      if (t.at("name") != transform)
        continue;
      for (const Json &a : t.at("alternatives")) {
        TransformBounds::Alternative alternative{a.at("name"), {}};
        for (const Json &step : a.at("steps"))
          alternative.steps.push_back(stepOf(step));
        bounds.alternatives.push_back(std::move(alternative));
      }
    }
  } catch (const Json::exception &problem) {
    throw TunerError(fmt::format("the compiler's list of bounds cannot be read: {}", problem.what()));
  }
  return bounds;
}

std::string toJson(const TransformBounds &bounds, const std::string &transform) {
  Json alternatives = Json::array();
  for (const TransformBounds::Alternative &a : bounds.alternatives) {
    Json steps = Json::array();
    for (const TransformBounds::Step &s : a.steps) {
      Json step = {{"name", s.name}};
      if (!s.why.empty())
        step["why_no_bound"] = s.why;
      if (s.prediction)
        add(step, *s.prediction);
      for (const TransformBounds::OnCores &on : s.on)
        step["bounds"].push_back({{"cores", on.cores},
                                  {"seconds", on.seconds},
                                  {"limit", on.limit},
                                  {"of", on.of},
                                  {"adds_up", on.addsUp},
                                  {"derivation", on.derivation},
                                  {"remedy", on.remedy}});
      steps.push_back(std::move(step));
    }
    alternatives.push_back({{"name", a.name}, {"steps", std::move(steps)}});
  }
  return Json{{"transforms", {{{"name", transform}, {"alternatives", std::move(alternatives)}}}}}.dump();
}

LowerBound lowerBound(const TransformBounds::Alternative &alternative, const ProgramSpace &space,
                      const Configuration &configuration, long n, const std::set<std::string> &without) {
  const int threads = threadsOf(space, configuration);
  LowerBound best;
  const auto take = [&](double seconds, const TransformBounds::OnCores &on, const std::string &steps) {
    if (seconds > best.seconds)
      best = {seconds, on.limit, on.derivation, on.remedy, steps};
  };
  struct Sum {
    double seconds = 0;
    const TransformBounds::OnCores *largest = nullptr;
    std::vector<std::string> steps;
  };
  std::map<std::string, Sum> sums; // by what adds up
  for (const TransformBounds::Step &step : alternative.steps) {
    // A bound for more cores holds for fewer ones, too.
    const auto on = std::find_if(step.on.begin(), step.on.end(),
                                 [&](const auto &one) { return threads > 0 && one.cores >= threads; });
    if (on == step.on.end() || without.contains(on->limit) ||
        !isOnProcessor(space, configuration, step.name, n))
      continue;
    if (!on->addsUp) {
      take(on->seconds, *on, step.name);
      continue;
    }
    Sum &sum = sums[on->of];
    sum.seconds += on->seconds;
    sum.steps.push_back(step.name);
    if (!sum.largest || on->seconds > sum.largest->seconds)
      sum.largest = &*on;
  }
  for (const auto &[of, sum] : sums)
    take(sum.seconds, *sum.largest, fmt::format("{}", fmt::join(sum.steps, " and ")));
  return best;
}

const TransformBounds::Alternative *chosenAlternative(const TransformBounds &bounds,
                                                      const ProgramSpace &space,
                                                      const Configuration &configuration, long n) {
  const int site = choiceOfMain(space);
  if (site < 0)
    return bounds.alternatives.size() == 1 ? &bounds.alternatives.front() : nullptr;
  const auto at = static_cast<std::size_t>(site);
  const auto use = static_cast<std::size_t>(configuration.selectors()[at].select(n));
  for (const TransformBounds::Alternative &alternative : bounds.alternatives)
    if (alternative.name == space.sites[at].alternatives[use].name)
      return &alternative;
  return nullptr;
}

LowerBound LowerBounds::of(const Configuration &configuration, int size) const {
  const Size &at = sizes_[static_cast<std::size_t>(size)];
  const auto *alternative = chosenAlternative(at.bounds, space_, configuration, at.n);
  return alternative ? lowerBound(*alternative, space_, configuration, at.n, refuted_) : LowerBound{};
}

void LowerBounds::measured(const Configuration &configuration, int size, double seconds) {
  double &best = best_[static_cast<std::size_t>(size)];
  best = best > 0 ? std::min(best, seconds) : seconds;
  // When the limit is left out, another one may be the largest.
  for (LowerBound bound = of(configuration, size); bound.seconds > seconds; bound = of(configuration, size)) {
    refuted_.insert(bound.limit);
    refutations_.push_back(fmt::format("a run at {} took {}, less than the {} of the bound of {} ({})",
                                       sizes_[static_cast<std::size_t>(size)].name, shortTime(seconds),
                                       shortTime(bound.seconds), bound.steps, bound.derivation));
  }
}

std::vector<std::string> LowerBounds::hopeless() const {
  std::vector<std::string> found;
  const int site = choiceOfMain(space_);
  if (site < 0)
    return found;
  const auto &alternatives = space_.sites[static_cast<std::size_t>(site)].alternatives;
  for (std::size_t use = 0; use < alternatives.size(); ++use) {
    const Configuration alone =
        Configuration::defaults(space_).withSelector(site, Selector(static_cast<int>(use)));
    std::vector<std::string> sizes;
    LowerBound last;
    double best = 0;
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      // The number of threads that the default has is the largest one, so the bound is the least.
      const LowerBound bound = of(alone, static_cast<int>(s));
      if (best_[s] <= 0 || bound.seconds <= best_[s])
        continue;
      sizes.push_back(sizes_[s].name);
      last = bound;
      best = best_[s];
    }
    if (!sizes.empty())
      found.push_back(
          fmt::format("{} with {} cannot win at {}: there it takes {} at least ({}), and the best {}",
                      space_.main, alternatives[use].name, fmt::join(sizes, ", "), shortTime(last.seconds),
                      last.limit, shortTime(best)));
  }
  return found;
}

} // namespace pbc::tuner
