// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/tile_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pbc::model {

std::string sidesText(const Stencil &stencil, const std::array<long, 3> &sides) {
  return fmt::format("{}", fmt::join(sides.begin(), sides.begin() + stencil.dimensions, " x "));
}

std::string tileText(const Stencil &stencil, const Tile &tile) {
  return fmt::format("{} x {}", sidesText(stencil, tile.space), tile.time);
}

std::string plural(long count, const std::string &noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

} // namespace pbc::model
