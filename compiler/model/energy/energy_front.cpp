// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/energy_front.h"

#include "compiler/model/pareto.h"
#include "compiler/model/time/tile_search.h"
#include "compiler/model/time/wavefront.h"

#include <algorithm>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr int64_t kLongestExtent = 1'000'000'000; // extents of the time models

StencilProblem hexagonProblem(const EnergyRun &run, double iteration) {
  const Stencil stencil{run.work.name, 2, run.work.radius, static_cast<long>(run.work.words), {}};
  return {stencil, {run.size1, run.size2, 1}, run.steps, iteration};
}

/// The time of time-skewed tiles: their borders are in fast memory, two words for each place and step.
double skewedSeconds(const StencilMachine &machine, const EnergyRun &run, const SubtiledTile &tile,
                     double iteration) {
  const int64_t words = 2 * (run.tile1 + 2 * run.tileSteps);
  if (words > machine.blockWords)
    throw Problem(fmt::format("a tile of {} x {} needs {} words of fast memory; on {} a block may have {}",
                              run.tile1, run.tileSteps, words, machine.name, machine.blockWords),
                  "make the tile smaller");
  const long resident = std::min(machine.blocksPerUnit, machine.unitWords / words);
  const std::vector<long> widths = skewedWavefronts(run.size1, run.steps, run.tile1, run.tileSteps);
  const long streams = std::min(machine.units, *std::ranges::max_element(widths));
  const double moved = 2 * static_cast<double>(2 * run.tileSteps + run.tile1);
  const double transfer = moved * machine.secondsPerWord * static_cast<double>(streams) + 2 * machine.barrier;
  const double compute = subtiledCompute(machine, tile, iteration);
  return bestResident(machine, widths, 1, resident, transfer, compute).total;
}

template <typename Less>
size_t leastOf(const std::vector<EnergyPoint> &points, Less less) {
  return static_cast<size_t>(std::ranges::min_element(points, less) - points.begin());
}

} // namespace

double predictedSeconds(const StencilMachine &machine, const EnergyRun &run, double iteration) {
  check(run);
  if (std::max({run.size1, run.size2, run.steps}) > kLongestExtent)
    throw Problem(fmt::format("the time of extents above {} is not modelled", kLongestExtent),
                  "give it with --time");
  if (run.code == EnergyCode::Jacobi2D)
    return stencilTime(machine, hexagonProblem(run, iteration), {{run.tile1, run.tile2, 1}, run.tileSteps})
        .total;
  const SubtiledTile tile{run.tile1, run.tileSteps, run.subTile, std::min(run.subTile, run.tileSteps)};
  if (run.code == EnergyCode::SmithWaterman)
    return tableTime(machine, run.size1, run.steps, tile, iteration).total;
  return skewedSeconds(machine, run, tile, iteration);
}

EnergyFront energyFront(const StencilMachine &machine, const Spendings &costs, const EnergyRun &like,
                        double iteration, Mode mode) {
  EnergyFront result;
  const auto take = [&](const EnergyRun &run) {
    const double seconds = predictedSeconds(machine, run, iteration);
    result.points.push_back({run, seconds, joules(spentByRun(run, seconds, mode), costs)});
  };
  if (like.code == EnergyCode::Jacobi2D) {
    const StencilProblem problem = hexagonProblem(like, iteration);
    check(problem);
    forEachFeasibleTile(machine, problem, [&](const Tile &tile) {
      EnergyRun run = like;
      run.tile1 = tile.space[0];
      run.tile2 = tile.space[1];
      run.tileSteps = tile.time;
      take(run);
    });
  } else {
    // For a time-skewed tile, the columns to its left and those to its right are both in fast memory.
    const long factor = like.code == EnergyCode::SmithWaterman ? 1 : 2;
    forEachRectangle(machine, like.size1, like.steps, factor, [&](const SubtiledTile &tile) {
      EnergyRun run = like;
      run.tile1 = tile.width;
      run.tileSteps = tile.height;
      run.subTile = tile.subWidth;
      take(run);
    });
  }
  if (result.points.empty())
    throw Problem(
        fmt::format(
            "no tile of {} fits into the {} words that a block of {} may have, or all of them are too small "
            "for these extents",
            nameOf(like.code), machine.blockWords, machine.name),
        "take a machine with more shared memory, or smaller extents");
  std::vector<TwoCosts> costsOfPoints;
  for (const EnergyPoint &p : result.points)
    costsOfPoints.push_back({p.seconds, p.joules});
  result.front = paretoFront(costsOfPoints);
  result.fastest = result.front.front(); // of equally fast ones, the one with the least energy
  result.leastEnergy = result.front.back();
  result.leastProduct = leastOf(
      result.points, [](const EnergyPoint &a, const EnergyPoint &b) { return a.product() < b.product(); });
  return result;
}

} // namespace pbc::model
