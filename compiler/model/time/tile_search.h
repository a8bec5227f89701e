// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds the best tiles of a stencil on a machine by searching the whole feasible space, one tile after the
// other. The model has steps and is not convex, so solvers stop at worse points.
//
//   searchTiles(gtx980, jacobi2D 4096 x 4096 x 1024)
//     => 5373 feasible; the best is 14 x 64 x 38 with 0.290442 s; 474 within 10 %
//
// A tile is feasible if a block can hold it, its base is at least the radius, its innermost extent is a
// multiple of 32, its height is even, and no side is larger than the problem. The model does not consider
// registers, so its best tile is one of many candidates, and those near the minimum should be measured. They
// are ranked by more tiles on a unit at once, then less fast memory, then less time.
//
// Invariant: the best is first; all are within the requested distance from it. Source: cost-models.md 1.10;
// A.32.
#pragma once
#include "compiler/model/time/stencil_time.h"

#include <functional>

namespace pbc::model {

struct RankedTile {
  Tile tile;
  StencilTime time;
  double total = 0; // the value for comparison: time.total, or countedTime
};

struct TileSearchSettings {
  double within = 0.10;     // relative distance from the minimum
  std::size_t budget = 200; // number of candidates, including the best
  long resident = 0;        // k; 0: as many as fit
  bool isCounted =
      false; // use countedTime: more exact if a wavefront has hardly more tiles than there are units
};

struct TileSearchResult {
  RankedTile best;
  std::vector<RankedTile> candidates; // ranked, cut at the budget
  long feasible = 0;                  // number of tiles that were evaluated
  long near = 0;                      // number of these within the requested distance
  long baseStep = 1;                  // of tS1; more than 1 if a 1-D space would be too large
};

/// Throws Problem if no tile is feasible.
TileSearchResult searchTiles(const StencilMachine &, const StencilProblem &, const TimeForm & = {},
                             const TileSearchSettings & = {});

/// Calls `take` for each feasible tile, tT outermost and tS1 innermost. Returns the step of tS1.
long forEachFeasibleTile(const StencilMachine &, const StencilProblem &,
                         const std::function<void(const Tile &)> &take);

/// A Problem that says that there is no feasible tile.
Problem noTile(const StencilMachine &, const Stencil &, long resident);

} // namespace pbc::model
