// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/stencil_time.h"

#include "compiler/model/bound.h"
#include "compiler/model/time/tile_text.h"
#include "compiler/model/time/whole.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr double kRounding = 1e-9; // of a sum of many products, relative

Hexagon hexagonOfTile(const Stencil &stencil, const Tile &tile) {
  return {tile.space[0], tile.time, stencil.radius};
}

/// How far a slice extends over the whole tile, in each inner dimension.
long lean(const Stencil &stencil, const Tile &tile) { return stencil.radius * tile.time; }

long slicesOf(const StencilProblem &p, const Tile &tile, bool whole) {
  if (p.stencil.dimensions == 3 && !whole) {
    // A.24: one ceiling around the product. The small number compensates for the rounding of the divisions.
    double product = 1;
    for (std::size_t d = 1; d < 3; ++d)
      product *=
          static_cast<double>(p.extents[d] + lean(p.stencil, tile)) / static_cast<double>(tile.space[d]);
    return static_cast<long>(std::ceil(product - 1e-12));
  }
  long slices = 1;
  for (std::size_t d = 1; d < static_cast<std::size_t>(p.stencil.dimensions); ++d)
    slices *= roundedUp(p.extents[d] + lean(p.stencil, tile), tile.space[d]);
  return slices;
}

void checkTile(const StencilProblem &p, const Tile &tile) {
  constexpr long kLargest = 1 << 20;
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.stencil.dimensions); ++d)
    if (tile.space[d] < 1 || tile.space[d] > kLargest)
      throw Problem(fmt::format("tS{} must be from 1 to {}, not {}", d + 1, kLargest, tile.space[d]));
  if (tile.space[0] < p.stencil.radius)
    throw Problem(fmt::format("tS1 must be at least the radius {}, not {}", p.stencil.radius, tile.space[0]),
                  "hexagons with narrower bases depend on others of their own wavefront");
  if (tile.time < 2 || tile.time > kLargest || tile.time % 2 != 0)
    throw Problem(fmt::format("tT, the height of a hexagon, must be even and from 2 to {}, not {}", kLargest,
                              tile.time),
                  "it has a lower and an upper half");
}

void checkBounds(const StencilMachine &m, const StencilProblem &p, const StencilTime &t) {
  requireBound(t.total >= idealTime(m, p) * (1 - kRounding), [&] {
    return fmt::format("a time of {} s is below the ideal {} s", t.total, idealTime(m, p));
  });
  requireBound(t.total >= trafficTime(m, t) * (1 - kRounding), [&] {
    return fmt::format("a time of {} s is below the {} s of its traffic", t.total, trafficTime(m, t));
  });
}

/// The number of tiles on a unit that a caller asked for, or the largest possible.
long checkedResidency(const StencilMachine &m, const StencilProblem &p, const Tile &tile, long wanted) {
  check(p);
  checkTile(p, tile);
  const double words = tileWords(p.stencil, tile);
  const long most = residency(m, p.stencil, tile);
  if (most == 0)
    throw Problem(fmt::format("a tile of {} needs {:.0f} words of fast memory; on {} a block may have {}",
                              tileText(p.stencil, tile), words, m.name, m.blockWords),
                  "make the tile smaller, or leave --tile out to see the best ones");
  if (wanted < 0 || wanted > most)
    throw Problem(
        fmt::format("k must be from 1 to {}, not {}", most, wanted),
        fmt::format("a unit of {} has {} words and at most {} blocks; a tile of {} needs {:.0f} words",
                    m.name, m.unitWords, m.blocksPerUnit, tileText(p.stencil, tile), words));
  return wanted == 0 ? most : wanted;
}

} // namespace

TimeForm timeForm(Mode mode) {
  const bool corrected = mode == Mode::Corrected;
  return {.pitch = corrected, .contention = corrected, .slices = corrected};
}

double tileWords(const Stencil &stencil, const Tile &tile) {
  const double halo = static_cast<double>(lean(stencil, tile));
  double words = 2 * static_cast<double>(stencil.words);
  if (stencil.dimensions == 1)
    return words * (static_cast<double>(tile.space[0]) + halo);
  for (std::size_t d = 0; d < static_cast<std::size_t>(stencil.dimensions); ++d)
    words *= static_cast<double>(tile.space[d]) + halo + 1;
  return words;
}

long residency(const StencilMachine &m, const Stencil &stencil, const Tile &tile) {
  const double words = tileWords(stencil, tile);
  if (words > static_cast<double>(m.blockWords))
    return 0;
  return std::min(m.blocksPerUnit, m.unitWords / static_cast<long>(words));
}

double groupTime(int dimensions, long resident, long slices, double transfer, double compute, bool pipeline) {
  const double slower = std::max(transfer, compute);
  const double slots = static_cast<double>(resident) * static_cast<double>(slices);
  if (dimensions == 1 || (pipeline && resident > 1))
    return transfer + compute + (slots - 1) * slower;
  if (resident == 1)
    return (transfer + compute) * static_cast<double>(slices);
  return transfer + slots * slower;
}

StencilTime feasibleTime(const StencilMachine &m, const StencilProblem &p, const Tile &tile,
                         const TimeForm &form, long resident) {
  const Hexagon hexagon = hexagonOfTile(p.stencil, tile);
  const long inner = tile.space[1] * tile.space[2];
  StencilTime t;
  t.resident = resident;
  t.tileWords = static_cast<long>(tileWords(p.stencil, tile));
  t.movedWords = 2 * inner * hexagon.inputs() * p.stencil.words; // A.8, A.14, A.25
  t.wavefronts = wavefronts(p.steps, tile.time);
  t.width = roundedUp(p.extents[0], hexagon.pitch(form.pitch ? Mode::Corrected : Mode::Printed));
  t.slices = slicesOf(p, tile, form.slices);
  const double streams = form.contention ? static_cast<double>(std::min(m.units, t.width)) : 1;
  t.transfer =
      static_cast<double>(t.movedWords) * m.secondsPerWord * streams + 2 * m.barrier; // A.9, A.15, A.26
  const long turns =
      2 * sumRoundedUp(tile.time / 2, tile.space[0] * inner, 2 * p.stencil.radius * inner, m.lanes);
  t.compute = p.iteration * static_cast<double>(turns) + static_cast<double>(tile.time) * m.barrier; // A.10
  t.group = groupTime(p.stencil.dimensions, resident, t.slices, t.transfer, t.compute, form.pipeline);
  t.rounds = roundedUp(roundedUp(t.width, resident), m.units);
  t.total =
      static_cast<double>(t.wavefronts) * (m.launch + static_cast<double>(t.rounds) * t.group); // A.7, A.18
  return t;
}

StencilTime stencilTime(const StencilMachine &m, const StencilProblem &p, const Tile &tile,
                        const TimeForm &form, long resident) {
  const StencilTime t = feasibleTime(m, p, tile, form, checkedResidency(m, p, tile, resident));
  if (form.pitch && form.contention && form.slices)
    checkBounds(m, p, t);
  return t;
}

double idealTime(const StencilMachine &m, const StencilProblem &p) {
  double points = static_cast<double>(p.steps);
  for (std::size_t d = 0; d < static_cast<std::size_t>(p.stencil.dimensions); ++d)
    points *= static_cast<double>(p.extents[d]);
  return points * p.iteration / static_cast<double>(m.units * m.lanes);
}

double trafficTime(const StencilMachine &m, const StencilTime &t) {
  return static_cast<double>(t.wavefronts) * static_cast<double>(t.width) * static_cast<double>(t.slices) *
         static_cast<double>(t.movedWords) * m.secondsPerWord;
}

double balancedTime(const StencilMachine &m, const StencilProblem &p, const Tile &tile, long resident) {
  const StencilTime t = stencilTime(m, p, tile, {.pipeline = true}, resident);
  const long ofUnit = roundedUp(t.width, m.units), groups = ofUnit / t.resident, rest = ofUnit % t.resident;
  double wave = static_cast<double>(groups) * t.group;
  if (rest > 0)
    wave += groupTime(p.stencil.dimensions, rest, t.slices, t.transfer, t.compute, true);
  return static_cast<double>(t.wavefronts) * (m.launch + wave);
}

double countedTime(const StencilMachine &m, const StencilProblem &p, const Tile &tile, long resident) {
  return countedTime(m, p, tile, stencilTime(m, p, tile, {}, resident));
}

double countedTime(const StencilMachine &m, const StencilProblem &p, const Tile &tile, const StencilTime &t) {
  const Hexagon hexagon = hexagonOfTile(p.stencil, tile);
  double sum = 0;
  const long count = exactWavefronts(p.steps, tile.time);
  // All tiles of a colour are alike except those that the first and the last step cut.
  const auto add = [&](long wavefront, long times) {
    const long width = tilesOfWavefront(hexagon, p.extents[0], p.steps, wavefront);
    const long rounds = roundedUp(roundedUp(width, t.resident), m.units);
    sum += static_cast<double>(times) * (m.launch + static_cast<double>(rounds) * t.group);
  };
  const long cut = std::min(count, 4L), inside = count - cut;
  for (long i = 1; i <= std::min(cut, 2L); ++i)
    add(i, 1);
  for (long i = std::max(3L, count - 1); i <= count; ++i)
    add(i, 1);
  if (inside > 0) {
    add(3, roundedUp(inside, 2));
    add(4, inside / 2);
  }
  return sum;
}

} // namespace pbc::model
