// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What isl's loops are made from, in fewer words.
//
//   instances  [n, low0, high0, item0] -> { S[x = item0, t] : 2t = low0 and 2t <= n }
//   context    [n, low0] -> { : low0 <= 2*floor(n/2) }
//   =>         [item0, low0] -> { S[x = item0, t] : 2t = low0 }  in the context  { : low0 <= n }
//
// isl carries each parameter of each set, and each division of the context, through all that it computes for a loop: what no condition
// names, and what the instances have been told already, is nearly half of the time for stencils in three dimensions.
//
// Invariant: instances and their order are the same for all sizes of the old context.
#pragma once
#include <isl/cpp.h>

namespace pbc::loop {

struct SmallerSets {
  isl::schedule tree; // whose loops have one band each, as the old one's
  isl::set context;   // parameters only
};
SmallerSets withSmallerSets(const isl::schedule &, const isl::set &context);

} // namespace pbc::loop
