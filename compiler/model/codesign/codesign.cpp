// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/codesign/codesign.h"

#include "compiler/model/bound.h"
#include "compiler/model/pareto.h"
#include "compiler/model/time/tile_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace pbc::model {
namespace {

constexpr double kMostTried = 2e10; // a minute
constexpr size_t kMostTilesTried = 200'000;

/// The feasible tiles of a problem that is as large as the largest of its stencil in every extent.
std::vector<Tile> tilesFor(const StencilMachine &basis, const Workload &workload,
                           const StencilProblem &like) {
  StencilProblem largest = like;
  for (const WorkloadCase &c : workload)
    if (c.problem.stencil == like.stencil) {
      largest.steps = std::max(largest.steps, c.problem.steps);
      for (size_t d = 0; d < largest.extents.size(); ++d)
        largest.extents[d] = std::max(largest.extents[d], c.problem.extents[d]);
    }
  std::vector<Tile> tiles;
  forEachFeasibleTile(basis, largest, [&](const Tile &tile) {
    tiles.push_back(tile);
    if (tiles.size() > kMostTilesTried)
      throw Problem(fmt::format("more than {} tiles of {} fit into {} words", kMostTilesTried,
                                like.stencil.name, basis.blockWords),
                    "take a machine whose blocks have less memory");
  });
  return tiles;
}

} // namespace

Codesign::Codesign(const StencilMachine &basis, std::vector<Design> designs, Workload workload,
                   TimeModel model, const std::vector<Tile> &tiles)
    : designs_(std::move(designs)), workload_(std::move(workload)) {
  std::vector<CodesignTiles> spaces;
  std::vector<const StencilProblem *> first; // of each space
  for (const WorkloadCase &c : workload_) {
    const auto known = std::ranges::find_if(first, [&](const StencilProblem *p) {
      return p->stencil == c.problem.stencil && p->iteration == c.problem.iteration;
    });
    tilesOf_.push_back(static_cast<size_t>(known - first.begin()));
    if (known != first.end())
      continue;
    first.push_back(&c.problem);
    tiles_.push_back(tiles.empty() ? tilesFor(basis, workload_, c.problem) : tiles);
    spaces.emplace_back(basis, c.problem.stencil, c.problem.iteration, tiles_.back());
  }
  for (const size_t space : tilesOf_)
    tried_ += static_cast<double>(spaces[space].tiles().size()) * static_cast<double>(designs_.size());
  if (tried_ > kMostTried)
    throw Problem(
        fmt::format("{:.3g} pairs of a design and a tile: at most {:.3g} are tried", tried_, kMostTried),
        "make the steps of --units and --lanes larger, or ask for fewer problems");
  for (size_t c = 0; c < workload_.size(); ++c)
    minima_.push_back(InnerMinima(spaces[tilesOf_[c]], workload_[c].problem, model).of(designs_));
  if (model != TimeModel::Printed) // which breaks it
    checkBounds(basis);
}

/// Checks that no design is faster than with all its lanes always busy.
void Codesign::checkBounds(const StencilMachine &basis) const {
  for (size_t d = 0; d < designs_.size(); ++d) {
    const StencilMachine machine = machineOf(designs_[d], basis);
    for (size_t c = 0; c < workload_.size(); ++c) {
      const double ideal = idealTime(machine, workload_[c].problem), seconds = minima_[c][d].seconds;
      requireBound(seconds >= ideal * (1 - 1e-9), [&] {
        return fmt::format("{} s on {} units of {} lanes are below the ideal {} s", seconds,
                           designs_[d].units, designs_[d].lanes, ideal);
      });
    }
  }
}

const Tile *Codesign::tile(size_t workloadCase, size_t design) const {
  const int tile = minima_[workloadCase][design].tile;
  return tile < 0 ? nullptr : &tiles_[tilesOf_[workloadCase]][static_cast<size_t>(tile)];
}

std::vector<double> Codesign::seconds(const Workload &weights) const {
  std::vector<double> out(designs_.size());
  for (size_t c = 0; c < workload_.size(); ++c)
    if (const double frequency = weights.at(c).frequency; frequency > 0)
      for (size_t d = 0; d < out.size(); ++d)
        out[d] += frequency * minima_[c][d].seconds;
  return out;
}

size_t Codesign::best(const std::vector<double> &seconds) const { return best(seconds, INFINITY); }

size_t Codesign::best(const std::vector<double> &seconds, double mostArea) const {
  size_t best = designs_.size();
  for (size_t d = 0; d < designs_.size(); ++d)
    if (designs_[d].area <= mostArea && std::isfinite(seconds[d]) &&
        (best == designs_.size() || seconds[d] < seconds[best] ||
         (seconds[d] == seconds[best] && designs_[d].area < designs_[best].area)))
      best = d;
  if (best == designs_.size())
    throw Problem("no design of this area has enough shared memory for a tile of every problem",
                  "give more with --shared, or a larger area");
  return best;
}

std::vector<size_t> Codesign::front(const std::vector<double> &seconds) const {
  std::vector<size_t> able;
  std::vector<TwoCosts> costs;
  for (size_t d = 0; d < designs_.size(); ++d)
    if (std::isfinite(seconds[d])) {
      able.push_back(d);
      costs.push_back({designs_[d].area, seconds[d]});
    }
  std::vector<size_t> front = paretoFront(costs);
  for (size_t &i : front)
    i = able[i];
  return front;
}

double meanIterations(const Workload &weights) {
  double sum = 0;
  for (const WorkloadCase &c : weights)
    sum += c.frequency * iterationsOf(c.problem);
  return sum;
}

} // namespace pbc::model
