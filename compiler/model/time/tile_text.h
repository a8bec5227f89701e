// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints extents, tiles and counts.
//
//   tileText(jacobi2D, {{8, 64}, 16})     "8 x 64 x 16"
//   plural(2, "round")                    "2 rounds"
#pragma once
#include "compiler/model/time/stencil_time.h"

#include <string>

namespace pbc::model {

/// As many sides as the stencil has dimensions.
std::string sidesText(const Stencil &, const std::array<long, 3> &sides);

/// The sides, then the height.
std::string tileText(const Stencil &, const Tile &);

std::string plural(long count, const std::string &noun);

} // namespace pbc::model
