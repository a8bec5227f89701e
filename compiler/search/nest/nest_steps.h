// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the scripts of leaves are made of, for one nest alone (nest_space.h) and for several (compiler/search/chain).
//
//   y in two levels, 4 iterations in the inner one:  tileSteps()  (y_0, y_1) = tile(y; 4)
//                                                    inOrder()    y_0, x, y_1
#pragma once
#include "compiler/search/nest/nest_facts.h"
#include "compiler/search/nest/nest_space.h"

namespace pbc::search {

/// Into how many tiles in tiles a loop can be cut, as far as the options go.
int mostLevels(const NestFacts::Loop &, const NestOptions &);

/// The matrix of a body that stores each of its cells and reads none of them, where it may be stored past the caches; null: there is none.
const NestWork::Array *storedPastCaches(const NestFacts &, const NestWork &, const NestOptions &);

/// The name of a level of a loop in scripts: "y_1"; "y" if there is only one.
std::string labelOf(const NestLoop &, std::size_t level);

// Of a complete state.

/// The dimensions, outermost first.
std::vector<int> inOrder(const NestSpace &, const State &leaf);
/// The number of iterations that was decided.
long sizeOf(const NestSpace &, const State &leaf, int dimension);
Kind kindOf(const NestSpace &, const State &leaf, int dimension);
/// The steps that cut the loops into their levels.
std::vector<script::Step> tileSteps(const NestSpace &, const State &leaf);
/// Whether a step of the loops around the dimension has fewer iterations of it than others; for all sizes of the kernel that are not
/// known, there are some.
bool hasEdges(const NestSpace &, const State &leaf, int dimension);

} // namespace pbc::search
