// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an analysis of `pbc emulate` says, as data and as text.
//
//   {"verdict": "limited by memory throughput (0.93)", "bottleneck": {"resource": "memory", "mode": "throughput", "elasticity": 0.93},
//    "elasticities": [{"parameter": "memory throughput", "value": 0.93, "relief": "twice the throughput", "halved": 0.55,
//      "regions": [{"line": 12, "file": "five.pbcc", "rule": "Cells", "value": 0.71, "parts": {"loads": 0.5, "stores": 0.21}}],
//      "remedies": [{"step": "tile", "why": ..}]}], "rules": ["Cells"], "used": {..}}
#pragma once
#include "compiler/emulate/verdict.h"
#include <nlohmann/json.hpp>

namespace pbc::driver {

/// Elasticities and shares below this are noise to a reader.
inline constexpr double kNoticed = 0.02;

void addTo(nlohmann::ordered_json &out, const emulate::Analysis &, const emulate::Trace &,
           const emulate::Core &);

/// A line for each elasticity. Lines of the source are named without the file if it is this one, and without the rule if there is only one.
std::string elasticitiesText(const nlohmann::ordered_json &described, const std::string &file);

} // namespace pbc::driver
