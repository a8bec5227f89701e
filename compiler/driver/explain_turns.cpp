// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_turns.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

Json withTurns(Json alternative, const emit::Input &in, const sema::Transform &t, std::size_t number) {
  if (!in.turns)
    return alternative;
  const std::size_t transform = static_cast<std::size_t>(t.index);
  const schedule::Plan &plan = in.plans[transform].plans[number];
  const kernel::RowTurns &turns = (*in.turns)[transform][number];
  const auto nameOf = [&](int step) {
    return schedule::stepName(t, plan.steps[static_cast<std::size_t>(step)]);
  };
  const auto matrix = [&](int m) { return t.matrices[static_cast<std::size_t>(m)].name; };
  for (const kernel::TurnGroup &group : turns.groups) {
    Json steps = Json::array();
    for (const kernel::RowTurn &turn : group.turns)
      steps.push_back(nameOf(turn.step));
    alternative["turns"].push_back({{"matrix", matrix(group.matrix)}, {"steps", steps}});
  }
  for (const kernel::NoTurn &no : turns.refused)
    alternative["no_turns"].push_back(
        {{"matrix", matrix(no.matrix)}, {"step", nameOf(no.step)}, {"why", no.why}});
  return alternative;
}

std::string turnsText(const Json &alternative) {
  std::string text;
  for (const Json &group : alternative.value("turns", Json::array())) {
    std::string steps;
    for (const Json &step : group["steps"])
      steps += (steps.empty() ? "" : ", ") + step.get<std::string>();
    text += fmt::format(
        "    {} take rows of {} in turn where it is larger than the caches, so that it comes from "
        "memory once (turn_bytes)\n",
        steps, group["matrix"].get<std::string>());
  }
  for (const Json &no : alternative.value("no_turns", Json::array()))
    text += fmt::format("    {} takes no turns with others that read {}: {}\n", no["step"].get<std::string>(),
                        no["matrix"].get<std::string>(), no["why"].get<std::string>());
  return text;
}

} // namespace pbc::driver
