// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc prove` says of a search: as data, and in words.
//
//   {"kernel": "MM.rule0", "sizes": "n = 256", "best_seconds": 0.00039, "script": "tasks(); ...", "bound_seconds": 0.00036, "gap": 1.09, ..}
//   kernel MM.rule0, n = 256
//     best:    393.9 us, by tasks(); registers(y, x)
//     bound:   358.6 us; gap at most 9.8 %
#pragma once
#include "compiler/search/strategy/search.h"
#include <nlohmann/json.hpp>
#include <string>

namespace pbc::driver {

using Json = nlohmann::ordered_json;

/// "9.8 %" for 1.098.
std::string gapText(double gap);

/// Adds what the search has found. `out` has what it began with: "kernel", "sizes", and of the compiler's own schedule "default_seconds" and
/// "default_script", if they are known.
void describeSearch(const search::Model &, const search::SearchResult &, Json &out);
std::string proveText(const Json &kernel);

} // namespace pbc::driver
