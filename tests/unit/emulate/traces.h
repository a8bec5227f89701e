// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small traces and cores for tests, and the figures of the specification (vectors.json), which its own emulator computed.
#pragma once
#include "compiler/emulate/emulator.h"
#include <nlohmann/json.hpp>
#include <random>

namespace pbc::emulate {

/// Of the specification's figures. Throws std::out_of_range for another name.
const nlohmann::json &vectorNamed(const std::string &name);
/// "5/7", "0" or a number.
double number(const nlohmann::json &);

/// An instruction whose result is its own register; it waits for those of earlier ones, by their places.
struct Step {
  int resource = 0;
  std::vector<int> after;
  int transactions = 1;
  int region = 0;
};
Trace straight(const std::vector<Step> &);
/// Resources "R0", "R1", ... with latencies and gaps in cycles.
Core coreOf(const std::vector<std::pair<double, double>> &costs);

/// `chains` independent chains of `length` instructions of resource 0, one of each in turn.
Trace chains(int chains, int length);
/// So many times a load that waits for the last result, and an instruction on it; regions of loads and of what is computed.
Trace loadAndUse(int times);

} // namespace pbc::emulate
