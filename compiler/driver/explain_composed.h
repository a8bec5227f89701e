// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain` says of a schedule that was composed of a script and adaptors.
//
//   tiled + Triangular(A) rule 2, way 2: (yt, xt, yi, xi) = tile(y, x; 4, 8); peel_triangular(A)
//   left out: `lanes(xi; 8)`: the length of the loop over `k` depends on `xi`
#pragma once
#include "compiler/kernel/report.h"
#include <nlohmann/json.hpp>

namespace pbc::driver {

/// Adds `provenance`, `script` and `left_out` to what is said of the schedule.
void describeComposed(const kernel::ComposedSchedule &, nlohmann::ordered_json &schedule);
/// The same as lines; "" if the schedule was not composed.
std::string composedText(const nlohmann::ordered_json &schedule);

} // namespace pbc::driver
