// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far the measured times of the main transform's alternatives are from their bounds, size by size.
//
//   for (const BoundRow &row : boundRows(part))
//     row      n=256, `down`: 1.1 ms at least (compute), 1.6 ms measured: 1.45 times the bound
//
// The time of an alternative is the least of all configurations that were recorded there and take it, in the same units of cores as its
// bound. There are rows only for tunings that were given bounds (`--bounds`).
#pragma once
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/report/evidence.h"

#include <nlohmann/json_fwd.hpp>

namespace pbc::tuner {

struct BoundRow {
  std::string size, alternative;
  LowerBound bound;   // its seconds are 0 if there is none
  std::string why;    // if there is none
  double seconds = 0; // the shortest median; 0: it was not measured
  bool isChosen = false;

  /// Time over bound; 0: one of them is not known.
  double ratio() const { return bound.seconds > 0 ? seconds / bound.seconds : 0; }
};

std::vector<BoundRow> boundRows(const Part &);
/// Lines about the largest size that has bounds; "" if there is none.
std::string boundsInWords(const Part &);
/// All rows.
nlohmann::json boundsAsJson(const Part &);

} // namespace pbc::tuner
