// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/version_remedies.h"
#include <algorithm>

namespace pbc::driver {
namespace {

using Json = nlohmann::ordered_json;

double speedOf(const Json &version) { return version.value("points_per_second", 0.0); }

bool hasArguments(const script::Step &step) {
  return !step.operands.empty() || !step.values.empty() || !step.named.empty();
}

/// Steps of this name that one script has and another one has not, as texts. One without arguments does no more than there is anyway.
std::vector<std::string> stepsBeyond(const script::Script &own, const script::Script &other,
                                     const std::string &name) {
  std::vector<std::string> steps;
  for (const script::Step &step : other)
    if (step.transformation == name && hasArguments(step) &&
        std::find(own.begin(), own.end(), step) == own.end())
      steps.push_back(script::text(step));
  return steps;
}

/// Of the versions that have such steps, the fastest one.
void complete(Json &remedy, std::size_t own, const Json &described,
              const std::vector<script::Script> &scripts) {
  double best = 0;
  for (std::size_t other = 0; other < described.size(); ++other) {
    if (other == own || described[other]["kernel"] != described[own]["kernel"] ||
        speedOf(described[other]) <= best)
      continue;
    const std::vector<std::string> steps =
        stepsBeyond(scripts[own], scripts[other], remedy["step"].get<std::string>());
    if (steps.empty())
      continue;
    best = speedOf(described[other]);
    remedy["steps"] = steps;
    remedy["version"] = described[other]["version"];
    remedy["times_as_fast"] = best / speedOf(described[own]);
  }
}

} // namespace

void addVersionRemedies(Json &described, const std::vector<script::Script> &scripts) {
  constexpr double kFaster = 1.05;
  for (std::size_t k = 0; k < described.size(); ++k) {
    Json &own = described[k];
    if (speedOf(own) <= 0)
      continue;
    std::size_t best = k;
    for (std::size_t other = 0; other < described.size(); ++other)
      if (described[other]["kernel"] == own["kernel"] && speedOf(described[other]) > speedOf(described[best]))
        best = other;
    if (speedOf(described[best]) > kFaster * speedOf(own))
      own["try_version"] = {{"version", described[best]["version"]},
                            {"schedule", script::line(scripts[best])},
                            {"times_as_fast", speedOf(described[best]) / speedOf(own)}};
    for (Json &elasticity : own["elasticities"])
      if (elasticity.contains("remedies"))
        for (Json &remedy : elasticity["remedies"])
          complete(remedy, k, described, scripts);
  }
}

} // namespace pbc::driver
