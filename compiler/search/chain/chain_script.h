// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A leaf of a chain's space as a script of the registry.
//
//   order(y, y2) fused, place(T) shared, kinds x and x2 vector, y of 4 iterations in the inner level
//   => (y_0, y_1) = tile(y; 4); (y2_0, y2_1) = tile(y2; 4); (y_0) = fuse(y_0, y2_0; shift = 4); contract(T, at = y_0); ...
//
// Loops are cut and put in order nest by nest; then loops that are one are fused from the outermost one on, and temporaries get their
// places; how loops run is said last.
#pragma once
#include "compiler/search/chain/chain_space.h"

namespace pbc::search {

/// The script of a complete state.
script::Script scriptOf(const ChainSpace &, const State &leaf);

} // namespace pbc::search
