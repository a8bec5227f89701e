// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/report/bound_rows.h"

#include "tuner/report/words.h"
#include "tuner/strategy/statistics.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace pbc::tuner {
namespace {

/// The fastest configuration that takes the alternative there, and its median.
std::pair<const Configuration *, double> fastest(const Part &part, const TransformBounds &bounds,
                                                 const std::string &alternative, int size, long n) {
  std::map<int, std::vector<double>> times;
  for (const Trial &trial : part.recording.trials)
    if (trial.size == size && !trial.rejected)
      times[trial.configuration].insert(times[trial.configuration].end(), trial.seconds.begin(),
                                        trial.seconds.end());
  std::pair<const Configuration *, double> best{nullptr, 0};
  for (const auto &[number, seconds] : times) {
    const Configuration &configuration = part.recording.configurations[static_cast<std::size_t>(number)];
    const auto *chosen = chosenAlternative(bounds, part.space, configuration, n);
    if (chosen && chosen->name == alternative && (!best.first || median(seconds) < best.second))
      best = {&configuration, median(seconds)};
  }
  return best;
}

} // namespace

std::vector<BoundRow> boundRows(const Part &part) {
  std::vector<BoundRow> rows;
  if (!part.objective.isTime())
    return rows;
  for (std::size_t s = 0; s < part.recording.sizes.size(); ++s) {
    const RecordedSize &size = part.recording.sizes[s];
    const auto known = part.bounds.find(size.name);
    if (known == part.bounds.end())
      continue;
    const auto *used = chosenAlternative(known->second, part.space, part.configuration, size.n);
    for (const TransformBounds::Alternative &alternative : known->second.alternatives) {
      const auto [configuration, seconds] =
          fastest(part, known->second, alternative.name, static_cast<int>(s), size.n);
      BoundRow row{size.name, alternative.name, {}, "", seconds, used == &alternative};
      row.bound =
          lowerBound(alternative, part.space, configuration ? *configuration : part.configuration, size.n);
      for (const TransformBounds::Step &step : alternative.steps)
        if (row.bound.seconds <= 0 && row.why.empty())
          row.why = step.why;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string boundsInWords(const Part &part) {
  std::string text;
  const std::vector<BoundRow> rows = boundRows(part);
  for (const BoundRow &row : rows) {
    if (row.size != rows.back().size)
      continue;
    if (text.empty())
      text = fmt::format("  bounds at {}\n", row.size);
    const std::string measured = row.seconds > 0 ? ", measured " + seconds(row.seconds) : ", not measured";
    text += row.bound.seconds <= 0
                ? fmt::format("    {}: no bound{}{}\n", row.alternative, measured,
                              row.why.empty() ? "" : fmt::format(" ({})", row.why))
                : fmt::format("    {}: {} at least{}{}\n      {}: {}\n      to lower it: {}\n",
                              row.alternative, seconds(row.bound.seconds), measured,
                              row.seconds > 0 ? fmt::format(", {:.2f} times the bound", row.ratio()) : "",
                              row.bound.steps, row.bound.derivation, row.bound.remedy);
  }
  if (part.recording.leftOut > 0)
    text += fmt::format("  {} times a configuration was not run, because its bound was above the best time\n",
                        part.recording.leftOut);
  return text;
}

nlohmann::json boundsAsJson(const Part &part) {
  nlohmann::json all = nlohmann::json::array();
  for (const BoundRow &row : boundRows(part)) {
    nlohmann::json one{{"size", row.size},
                       {"alternative", row.alternative},
                       {"chosen", row.isChosen},
                       {"seconds", row.seconds > 0 ? nlohmann::json(row.seconds) : nlohmann::json()},
                       {"bound_seconds", nullptr}};
    if (row.bound.seconds > 0) {
      one["bound_seconds"] = row.bound.seconds;
      one["time_over_bound"] = row.ratio() > 0 ? nlohmann::json(row.ratio()) : nlohmann::json();
      one["limit"] = row.bound.limit;
      one["steps"] = row.bound.steps;
      one["derivation"] = row.bound.derivation;
      one["remedy"] = row.bound.remedy;
    } else {
      one["why_no_bound"] = row.why;
    }
    all.push_back(std::move(one));
  }
  return all;
}

} // namespace pbc::tuner
