// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The exact counts of runtime/abi/data_movement.h for users: sizes are checked, and a count that does not fit
// in 64 bits, or a memory in which no tile fits, gives a Problem instead of a number.
//
//   counted(pb::leastProduct(936, 1008, 552, {65536}), "one product")     4629312
//
// Source: cost-models.md sections 5 and 6.
#pragma once
#include "runtime/abi/data_movement.h"

#include <string>
#include <vector>

namespace pbc::model {

/// Throws Problem unless all sizes are from 1 to 2^31 - 1.
void requireSizes(const std::vector<long> &sizes);
/// Throws Problem unless there is at least one word, and the number of streamed lines is not negative.
void requireMemory(const pb::FastMemory &);

/// Whether some tile fits.
inline bool fits(const pb::Tiled &tiled) { return tiled.first > 0; }

/// The number of words, or Problem; `what` names what is counted ("the product").
long counted(pb::Words, const std::string &what);
/// The same for a tiled computation, which also fails if no tile fits.
long counted(const pb::Tiled &, const pb::FastMemory &, const std::string &what);

/// Checks the lower bound: each input is read and the output written at least once. The inputs are the
/// matrices of a chain P0 x P1, P1 x P2, ..., the output is their product.
void requireEachOnce(long words, const std::vector<long> &sizes);

} // namespace pbc::model
