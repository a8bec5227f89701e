// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/time/tile_search.h"

#include "compiler/model/time/whole.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace pbc::model {
namespace {

constexpr long kAlign = 32; // for the innermost extent: whole groups of threads, whole lines
constexpr double kMostTiles1D = 2'000'000;

/// Goes through the sides of a tile from the last dimension to the first. Fast memory grows with every side,
/// so a loop ends at its first tile that does not fit.
class TileSpace {
public:
  TileSpace(const StencilMachine &machine, const StencilProblem &problem,
            const std::function<void(const Tile &)> &take)
      : machine_(machine), problem_(problem), take_(take) {
    if (problem.stencil.dimensions == 1) {
      const double widest =
          static_cast<double>(machine.blockWords) / static_cast<double>(2 * problem.stencil.words);
      const double bases = std::min(widest, static_cast<double>(problem.extents[0]));
      const double heights = std::min(widest, static_cast<double>(problem.steps)) / 2;
      while (bases / static_cast<double>(baseStep_) * heights > kMostTiles1D)
        baseStep_ *= 2;
    }
  }

  long run() {
    const long highest = roundedUp(problem_.steps, 2) * 2;
    for (Tile tile; tile.time <= highest; tile.time += 2) {
      smallest(tile, 0);
      if (!fits(tile))
        break;
      side(tile, problem_.stencil.dimensions - 1);
    }
    return baseStep_;
  }

private:
  bool isInnermost(int d) const { return d > 0 && d == problem_.stencil.dimensions - 1; }
  long least(int d) const { return isInnermost(d) ? kAlign : d == 0 ? problem_.stencil.radius : 1; }
  long step(int d) const { return isInnermost(d) ? kAlign : d == 0 ? baseStep_ : 1; }
  long most(int d, const Tile &tile) const {
    const long lean = d == 0 ? 0 : problem_.stencil.radius * tile.time;
    return std::max(least(d),
                    roundedUp(problem_.extents[static_cast<std::size_t>(d)] + lean, step(d)) * step(d));
  }
  bool fits(const Tile &tile) const { return residency(machine_, problem_.stencil, tile) > 0; }

  /// Sets dimensions from `d` on to their minimum.
  void smallest(Tile &tile, int d) const {
    for (; d < problem_.stencil.dimensions; ++d)
      tile.space[static_cast<std::size_t>(d)] = least(d);
  }

  void side(Tile tile, int d) {
    long &extent = tile.space[static_cast<std::size_t>(d)];
    for (extent = least(d); extent <= most(d, tile) && fits(tile); extent += step(d))
      if (d == 0)
        take_(tile);
      else
        side(tile, d - 1);
  }

  const StencilMachine &machine_;
  const StencilProblem &problem_;
  const std::function<void(const Tile &)> &take_;
  long baseStep_ = 1;
};

bool isPreferred(const RankedTile &a, const RankedTile &b) {
  if (a.time.resident != b.time.resident)
    return a.time.resident > b.time.resident;
  if (a.time.tileWords != b.time.tileWords)
    return a.time.tileWords < b.time.tileWords;
  return a.total < b.total;
}

} // namespace

long forEachFeasibleTile(const StencilMachine &machine, const StencilProblem &problem,
                         const std::function<void(const Tile &)> &take) {
  return TileSpace(machine, problem, take).run();
}

Problem noTile(const StencilMachine &m, const Stencil &stencil, long resident) {
  return Problem(
      fmt::format("no tile of {} is feasible on {}, where a block may have {} words of fast memory",
                  stencil.name, m.name, m.blockWords),
      resident > 1 ? "ask for a smaller k" : "the smallest has a height of 2 and is 32 wide");
}

TileSearchResult searchTiles(const StencilMachine &m, const StencilProblem &p, const TimeForm &form,
                             const TileSearchSettings &settings) {
  check(p);
  if (!(settings.within >= 0))
    throw Problem(fmt::format("the part of the minimum must be 0 or more, not {}", settings.within));
  if (settings.resident < 0)
    throw Problem(fmt::format("k must be 1 or more, not {}", settings.resident));
  TileSearchResult result;
  std::vector<std::pair<Tile, double>> all;
  double least = std::numeric_limits<double>::infinity();
  const auto residents = [&](const Tile &tile) {
    return settings.resident == 0 ? residency(m, p.stencil, tile) : settings.resident;
  };
  result.baseStep = forEachFeasibleTile(m, p, [&](const Tile &tile) {
    if (residency(m, p.stencil, tile) < residents(tile))
      return;
    const StencilTime t = feasibleTime(m, p, tile, form, residents(tile));
    const double total = settings.isCounted ? countedTime(m, p, tile, t) : t.total;
    all.emplace_back(tile, total);
    least = std::min(least, total);
  });
  if (all.empty())
    throw noTile(m, p.stencil, settings.resident);
  result.feasible = static_cast<long>(all.size());
  bool isBestFound = false;
  for (const auto &[tile, total] : all) {
    if (total > least * (1 + settings.within))
      continue;
    ++result.near;
    // stencilTime is used instead of feasibleTime, because it checks the physical bounds of the tiles that
    // are shown.
    const RankedTile ranked{tile, stencilTime(m, p, tile, form, residents(tile)), total};
    if (total == least && !isBestFound) {
      result.best = ranked;
      isBestFound = true;
      continue;
    }
    result.candidates.push_back(ranked);
  }
  std::ranges::sort(result.candidates, isPreferred);
  result.candidates.insert(result.candidates.begin(), result.best);
  if (result.candidates.size() > settings.budget)
    result.candidates.resize(std::max<std::size_t>(1, settings.budget));
  return result;
}

} // namespace pbc::model
