// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_bounds.h"
#include "compiler/driver/time_text.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

void addBounds(const RuleBounds::Step &bounds, const std::string &name, Json &step) {
  step["name"] = name;
  if (bounds.byCores.empty()) {
    step["why_no_bound"] = bounds.why;
    return;
  }
  Json all = Json::array();
  for (const auto &[cores, bound] : bounds.byCores)
    all.push_back({{"cores", cores},
                   {"seconds", bound.seconds},
                   {"limit", bound.term},
                   {"of", bound.of},
                   {"adds_up", bound.addsUp},
                   {"derivation", bound.derivation},
                   {"remedy", bound.remedy}});
  step["bounds"] = std::move(all);
}

std::string boundText(const Json &step) {
  if (step.contains("why_no_bound"))
    return fmt::format("      no bound: {}\n", step["why_no_bound"].get<std::string>());
  std::string text;
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
