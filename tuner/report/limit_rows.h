// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is predicted to limit the rules of the main transform, at the largest size for which that was asked (`--bounds=FILE --why`).
//
//   for (const LimitRow &row : limitRows(part))
//     row      n=2000, `Five` of `only`: limited by L3 throughput (1.00), predicted 5.3 ms on one core
//
// Nothing was measured for it. Source: bottleneck-analysis.md 4.
#pragma once
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/report/evidence.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace pbc::tuner {

struct LimitRow {
  std::string size, alternative, step;
  bool isChosen = false; // the alternative is used for this size
  TransformBounds::Prediction prediction;
};

std::vector<LimitRow> limitRows(const Part &);
/// "line 12 0.71, line 15 0.21": from which lines of the program the greatest elasticity comes; "" if that is not known.
std::string linesOf(const TransformBounds::Prediction &);
/// Lines about them; "" if nothing was asked.
std::string limitsInWords(const Part &);
nlohmann::json limitsAsJson(const Part &);

} // namespace pbc::tuner
