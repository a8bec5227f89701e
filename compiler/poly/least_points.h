// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many points a set without parameters has at least, in a time that does not depend on how many these are.
//
//   { S[i, j] : 0 <= i < 1000 and 0 <= j < 10 }     10000
//   { S[i, j] : 0 <= j <= i < 30 }                  465
//   { S[i, j] : 0 <= j <= i < 1000 }                492,000 or more of 500,500
//
// A box has the product of its lengths. Of other sets, the values of one coordinate are cut into parts, and a part counts with the points that it has
// for all of its values: as the set is convex, these are the ones that it has for the first and for the last value.
// Invariant: never more than there are; all of them where no coordinate has more than kParts values.
#pragma once
#include <isl/cpp.h>

namespace pbc::poly {

inline constexpr long kParts = 64;

double leastPoints(const isl::set &);
/// The points of the smallest box around the set.
double mostPoints(const isl::set &);

} // namespace pbc::poly
