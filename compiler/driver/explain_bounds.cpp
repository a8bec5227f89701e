// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_bounds.h"
#include "compiler/driver/time_text.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

void addBounds(const RuleBounds &all, const RuleBounds::Step &bounds, const std::string &name,
               const std::string &file, Json &step) {
  if (bounds.fast)
    step["fast"] = {{"seconds", bounds.fast->fast},
                    {"seconds_in_order", bounds.fast->strict},
                    {"times_as_fast", bounds.fast->timesAsFast()},
                    {"at", all.fastAt}};
  if (!all.isWanted())
    return;
  step["name"] = name;
  if (const auto &p = bounds.prediction; p && !p->why.empty())
    step["why_no_prediction"] = p->why;
  else if (p) {
    step["prediction"] = {{"seconds", p->seconds},
                          {"verdict", p->verdict},
                          {"elasticities", Json::array()},
                          {"try", p->script},
                          {"times_as_fast", p->timesAsFast}};
    for (const auto &[parameter, value] : p->elasticities)
      step["prediction"]["elasticities"].push_back({{"parameter", parameter}, {"value", value}});
    for (const auto &[choice, seconds] : p->schedules)
      step["prediction"]["schedules"].push_back({{"choice", choice}, {"seconds", seconds}});
    for (const emulate::LineShare &share : p->lines)
      step["prediction"]["regions"].push_back({{"where", emulate::nameOf(share.origin, file, p->rules > 1)},
                                               {"rule", share.origin.rule},
                                               {"line", share.origin.line.number},
                                               {"file", share.origin.line.path},
                                               {"value", share.value}});
  }
  if (bounds.byCores.empty()) {
    step["why_no_bound"] = bounds.why;
    return;
  }
  Json byCores = Json::array();
  for (const auto &[cores, bound] : bounds.byCores)
    byCores.push_back({{"cores", cores},
                       {"seconds", bound.seconds},
                       {"limit", bound.term},
                       {"of", bound.of},
                       {"adds_up", bound.addsUp},
                       {"derivation", bound.derivation},
                       {"remedy", bound.remedy}});
  step["bounds"] = std::move(byCores);
}

namespace {

std::string predictionText(const Json &step) {
  if (step.contains("why_no_prediction"))
    return fmt::format("      not predicted: {}\n", step["why_no_prediction"].get<std::string>());
  if (!step.contains("prediction"))
    return "";
  const Json &p = step["prediction"];
  const std::string verdict = p["verdict"].get<std::string>();
  std::string text = fmt::format("      predicted: {} on one core{}{}\n",
                                 timeText(p["seconds"].get<double>()), verdict.empty() ? "" : ", ", verdict);
  std::vector<std::string> lines;
  for (const Json &region : p.value("regions", Json::array()))
    lines.push_back(
        fmt::format("{} {:.2f}", region["where"].get<std::string>(), region["value"].get<double>()));
  if (!lines.empty())
    text += fmt::format("        of {}: {}\n", p["elasticities"][0]["parameter"].get<std::string>(),
                        fmt::join(lines, ", "));
  if (const std::string script = p["try"].get<std::string>(); !script.empty())
    text += fmt::format("        try {}: predicted {:.2f} times as fast\n", script,
                        p["times_as_fast"].get<double>());
  std::vector<std::string> schedules;
  for (const Json &one : p.value("schedules", Json::array()))
    schedules.push_back(
        fmt::format("{} {}", one["choice"].get<std::string>(), timeText(one["seconds"].get<double>())));
  if (!schedules.empty())
    text += fmt::format("        by its other schedules: {}\n", fmt::join(schedules, ", "));
  return text;
}

std::string fastText(const Json &step) {
  if (!step.contains("fast"))
    return "";
  const Json &fast = step["fast"];
  return fmt::format(
      "      `fast` in front of the rule lets its sums be computed in another order: predicted {:.1f} "
      "times as fast, {} instead of {} on one core, {}\n",
      fast["times_as_fast"].get<double>(), timeText(fast["seconds"].get<double>()),
      timeText(fast["seconds_in_order"].get<double>()), fast["at"].get<std::string>());
}

} // namespace

std::string boundText(const Json &step) {
  std::string text = fastText(step) + predictionText(step);
  if (step.contains("why_no_bound"))
    return text + fmt::format("      no bound: {}\n", step["why_no_bound"].get<std::string>());
  if (step.contains("bounds"))
    for (const Json &bound : step["bounds"]) {
      const int cores = bound["cores"].get<int>();
      text += fmt::format("      bound: no schedule takes less than {} on {}; {}\n        to lower it: {}\n",
                          timeText(bound["seconds"].get<double>()),
                          cores == 1 ? "one core" : fmt::format("{} cores", cores),
                          bound["derivation"].get<std::string>(), bound["remedy"].get<std::string>());
    }
  return text;
}

} // namespace pbc::driver
