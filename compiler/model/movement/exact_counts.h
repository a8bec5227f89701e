// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exact counts of runtime/abi/data_movement.h for people: sizes are checked, and a count that 64 bits do
// not hold, or a memory in which no tile fits, is a Problem instead of a number.
//
//   counted(pb::leastProduct(936, 1008, 552, {65536}), "one product")     4629312
//
// Source: cost-models.md sections 5 and 6.
#pragma once
#include "runtime/abi/data_movement.h"

#include <string>
#include <vector>

namespace pbc::model {

/// Sizes from 1 to 2^31 - 1, or Problem.
void requireSizes(const std::vector<long> &sizes);
/// At least one word, no negative number of streamed lines, or Problem.
void requireMemory(const pb::FastMemory &);

/// Whether some tile fits.
inline bool fits(const pb::Tiled &tiled) { return tiled.first > 0; }

/// The words, or Problem: `what` is counted ("the product").
long counted(pb::Words, const std::string &what);
/// The same of a tiled computation, for which also no tile may fit.
long counted(const pb::Tiled &, const pb::FastMemory &, const std::string &what);

/// Nothing moves less than what goes in and comes out once: the matrices of a chain P0 x P1, P1 x P2, ... and
/// their product.
void requireEachOnce(long words, const std::vector<long> &sizes);

} // namespace pbc::model
