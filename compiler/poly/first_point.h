// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first point of a set as a program writes it, for messages.
//
//   [w] -> { [i, k] : w <= i <= w + 3 and 0 <= k }, names {"i", "k"}   =>   "i = w, k = 0"
//   [n] -> { [i] : i >= 0 and 2i >= n }                                =>   "i = 2 for n = 4"
//
// The second form stands where a value has no single formula over all sizes of the set.
#pragma once
#include <isl/cpp.h>
#include <string>
#include <vector>

namespace pbc::poly {

/// The lexicographically first point; the set has a name for each of its dimensions. "" where there is none.
std::string firstPoint(const isl::set &points, const std::vector<std::string> &names);

} // namespace pbc::poly
