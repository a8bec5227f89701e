// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/limit_rows.h"

#include "tuner/report/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {

std::vector<LimitRow> limitRows(const Part &part) {
  std::vector<LimitRow> rows;
  if (!part.objective.isTime())
    return rows;
  for (const RecordedSize &size : part.recording.sizes) {
    const auto known = part.bounds.find(size.name);
    if (known == part.bounds.end())
      continue;
    const auto *used = chosenAlternative(known->second, part.space, part.configuration, size.n);
    for (const TransformBounds::Alternative &alternative : known->second.alternatives)
      for (const TransformBounds::Step &step : alternative.steps)
        if (step.prediction && (!step.prediction->why.empty() || !step.prediction->verdict.empty()))
          rows.push_back({size.name, alternative.name, step.name, used == &alternative, *step.prediction});
  }
  return rows;
}

std::string linesOf(const TransformBounds::Prediction &p) {
  std::vector<std::string> parts;
  for (const auto &[where, value] : p.lines)
    parts.push_back(fmt::format("{} {:.2f}", where, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string limitsInWords(const Part &part) {
  std::string text;
  for (const LimitRow &row : limitRows(part)) {
    if (text.empty())
      text = fmt::format("  predicted limits at {}, on one core\n", row.size);
    const TransformBounds::Prediction &p = row.prediction;
    text += fmt::format("    {} of {}: {}\n", row.step, row.alternative,
                        p.why.empty() ? fmt::format("{}; {}", p.verdict, seconds(p.seconds))
                                      : "not predicted, " + p.why);
    if (const std::string lines = linesOf(p); !lines.empty() && !p.elasticities.empty())
      text += fmt::format("      of {}: {}\n", p.elasticities.front().first, lines);
    if (!p.script.empty())
      text += fmt::format("      try {}: predicted {:.2f} times as fast\n", p.script, p.timesAsFast);
  }
  return text;
}

nlohmann::json limitsAsJson(const Part &part) {
  nlohmann::json all = nlohmann::json::array();
  for (const LimitRow &row : limitRows(part)) {
    const TransformBounds::Prediction &p = row.prediction;
    nlohmann::json one{
        {"size", row.size}, {"alternative", row.alternative}, {"step", row.step}, {"chosen", row.isChosen}};
    if (p.why.empty()) {
      one["predicted_seconds"] = p.seconds;
      one["verdict"] = p.verdict;
      for (const auto &[parameter, value] : p.elasticities)
        one["elasticities"][parameter] = value;
      for (const auto &[where, value] : p.lines)
        one["regions"].push_back({{"where", where}, {"value", value}});
      if (!p.script.empty())
        one["try"] = {{"script", p.script}, {"times_as_fast", p.timesAsFast}};
    } else {
      one["why_no_prediction"] = p.why;
    }
    all.push_back(std::move(one));
  }
  return all;
}

} // namespace pbc::tuner
