// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of a body as isl's text, over mangled names and the unique names of iterators.
//
//   i <= k && k < i + m             conditionText:  "((i) <= (k)) and ((k) < (i + m))"
//   std::max(0, k - m + 1)          boundText:      "max(0, k - m + 1)"
//   k < m ? 0 : k - m + 1           boundText:      "max(0, k - m + 1)"
//
// affineText (facts.h) knows sums alone: the cells that an access means are such.
#pragma once
#include "compiler/body/facts.h"

namespace pbc::body {

/// A condition; nothing if it depends on data.
std::optional<std::string> conditionText(const Value &, const Facts &);
/// The bound of a loop: a sum of which parts may be the larger or smaller one of two sums; nothing if it is none.
std::optional<std::string> boundText(const Value &, const Facts &);

} // namespace pbc::body
