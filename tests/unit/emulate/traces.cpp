// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/emulate/traces.h"
#include <fstream>

namespace pbc::emulate {

const nlohmann::json &vectorNamed(const std::string &name) {
  static const nlohmann::json all = [] {
    std::ifstream in(PBC_SOURCE_DIR "/tests/unit/emulate/vectors.json");
    return nlohmann::json::parse(in);
  }();
  return all.at(name);
}

double number(const nlohmann::json &value) {
  if (!value.is_string())
    return value.get<double>();
  const std::string text = value.get<std::string>();
  const std::size_t bar = text.find('/');
  return bar == std::string::npos ? std::stod(text)
                                  : std::stod(text.substr(0, bar)) / std::stod(text.substr(bar + 1));
}

Trace straight(const std::vector<Step> &steps) {
  Trace trace;
  for (const Step &s : steps) {
    const int own = trace.registers++;
    trace.instructions.push_back({s.resource, s.transactions, s.after, {own}, s.region});
  }
  return trace;
}

Core coreOf(const std::vector<std::pair<double, double>> &costs) {
  Core core;
  for (const auto &[latency, gap] : costs)
    core.resources.push_back({"R" + std::to_string(core.resources.size()), {cycles(latency), cycles(gap)}});
  return core;
}

Trace chains(int chains, int length) {
  std::vector<Step> steps;
  for (int k = 0; k < chains * length; ++k)
    steps.push_back({0, k < chains ? std::vector<int>{} : std::vector<int>{k - chains}});
  return straight(steps);
}

Trace loadAndUse(int times) {
  std::vector<Step> steps;
  for (int k = 0; k < times; ++k) {
    steps.push_back({0, k ? std::vector<int>{2 * k - 1} : std::vector<int>{}, 1, 0});
    steps.push_back({1, {2 * k}, 1, 1});
  }
  Trace trace = straight(steps);
  trace.regions = {{Region::Kind::Loads}, {Region::Kind::Computing}};
  return trace;
}

} // namespace pbc::emulate
