// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/explain_composed.h"
#include <fmt/format.h>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

void describeComposed(const kernel::ComposedSchedule &composed, Json &out) {
  Json steps = Json::array(), left = Json::array();
  for (const script::Step &step : composed.script)
    steps.push_back(script::text(step));
  for (const kernel::Note &note : composed.leftOut)
    left.push_back({{"step", note.transformation}, {"why", note.why}});
  out["provenance"] = composed.provenance;
  out["script"] = steps;
  out["left_out"] = left;
  if (!composed.guard.empty())
    out["guard"] = composed.guard;
}

std::string composedText(const Json &schedule) {
  if (!schedule.contains("provenance"))
    return "";
  std::string steps, left, guard;
  for (const auto &step : schedule["script"])
    steps += (steps.empty() ? "" : "; ") + step.get<std::string>();
  for (const auto &one : schedule["left_out"])
    left += fmt::format("        left out: `{}`: {}\n", one["step"].get<std::string>(),
                        one["why"].get<std::string>());
  if (schedule.contains("guard"))
    guard = fmt::format("        {}\n", schedule["guard"].get<std::string>());
  return fmt::format("        {}: {}\n{}{}", schedule["provenance"].get<std::string>(), steps, guard, left);
}

} // namespace pbc::driver
