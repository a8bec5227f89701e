// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers about tiles that do not depend on how long an iteration takes: by which factor a tile's time
// exceeds the ideal time, and from which time of an iteration on the tile is bound by computing.
//
//   overheadOfTile(question, {{8, 64}, 16}, 0)   =>  1.42822 = 1 (steps) x 1.40625 (units) x 1.015625 x 1
//   leastOverheads(question, settings, 10)       =>  over the whole space: the least factor (of equal ones the
//                                                    tallest face), and the front of factors and such times
//
// The question's time of an iteration is not used. The printed form uses equation 8.5 instead, in lost
// iterations, where only the face tS1 + tT / 2 matters.
//
// Invariant: every factor is at least 1.
//
// Source: cost-models.md 1.11; 8.1 to 8.5.
#pragma once
#include "compiler/model/time/time_answer.h"

namespace pbc::model {

Answer overheadOfTile(const TimeQuestion &, const Tile &, long resident);
Answer leastOverheads(const TimeQuestion &, const TileSearchSettings &, std::size_t shown);

} // namespace pbc::model
