// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/hexagon.h"

#include "compiler/model/time/whole.h"

#include <algorithm>
#include <stdexcept>

namespace pbc::model {
namespace {

/// A row of the tile in column 0 of a wavefront.
struct HexagonRow {
  long begin, width;
};

bool isUpperColour(long wavefront) { return wavefront % 2 != 0; }

/// The step in which the lowest row of a wavefront is.
long lowestStep(const Hexagon &h, long wavefront) {
  const long period = roundedDown(wavefront - 1, 2);
  return period * h.height - (isUpperColour(wavefront) ? h.height / 2 : 0);
}

HexagonRow rowOf(const Hexagon &h, long wavefront, long row) {
  const long shift = isUpperColour(wavefront) ? h.pitch() / 2 : 0;
  return {shift - h.indent(row), h.width(row)};
}

} // namespace

long Hexagon::outputs() const {
  // The highest row counts completely; of the next row `radius` points at each end, of those above two.
  const long above = height / 2 - 1;
  const long ofThose = above > 0 ? (above - 1) * 4 * radius + std::min(4 * radius, base + 2 * radius) : 0;
  return base + std::min(2 * radius, widest()) + ofThose;
}

HexagonPlace hexagonOf(const Hexagon &h, long step, long place) {
  const long period = roundedDown(step, h.height);
  const long candidates[] = {2 * period + 2, 2 * roundedDown(step + h.height / 2, h.height) + 1};
  for (const long wavefront : candidates) {
    const HexagonRow row = rowOf(h, wavefront, step - lowestStep(h, wavefront));
    const long column = roundedDown(place - row.begin, h.pitch());
    if (place - row.begin - column * h.pitch() < row.width)
      return {wavefront, column};
  }
  throw std::logic_error("a point that is in no hexagon");
}

long wavefronts(long steps, long height) { return 2 * roundedUp(steps, height); }

long exactWavefronts(long steps, long height) {
  const long rest = steps % height;
  return wavefronts(steps, height) + (0 < rest && rest <= height / 2 ? 0 : 1);
}

long tilesOfWavefront(const Hexagon &h, long extent, long steps, long wavefront) {
  const long lowest = lowestStep(h, wavefront);
  const long first = std::max(0L, -lowest), last = std::min(h.height, steps - lowest) - 1;
  if (first > last)
    return 0;
  // Every other existing row lies within the widest of them.
  const long middle = std::clamp(h.height / 2 - 1, first, last);
  const HexagonRow row = rowOf(h, wavefront, middle);
  return roundedDown(extent - 1 - row.begin, h.pitch()) - roundedUp(1 - row.width - row.begin, h.pitch()) + 1;
}

} // namespace pbc::model
