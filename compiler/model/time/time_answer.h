// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A stencil's time as an Answer: figures, what the time is spent on, and what could be changed.
//
//   timeOfTile(question, {{8, 64}, 16}, 0)   =>  0.408157 s; "The units dominate: ... 6 tiles of 32 ... idle"
//   bestTiles(question, settings)            =>  the whole space, candidates ranked, the best one explained
//
// Invariant: the parts of the table add up to the time; advice names a tile or a value for which the model
// gives a better time.
#pragma once
#include "compiler/model/answer.h"
#include "compiler/model/mode.h"
#include "compiler/model/time/tile_search.h"
#include "compiler/model/time/wavefront.h"

namespace pbc::model {

struct TimeQuestion {
  StencilMachine machine;
  StencilProblem problem;
  Mode mode = Mode::Corrected;
  std::vector<std::string> remarks; // about the sources of its figures; printed at the end
};

Answer timeOfTile(const TimeQuestion &, const Tile &, long resident);
Answer bestTiles(const TimeQuestion &, const TileSearchSettings &, std::size_t shown);

/// A table of rows x columns cut into rectangular tiles that run in wavefronts.
struct TableQuestion {
  StencilMachine machine;
  std::string name;
  long rows = 0, columns = 0;
  double iteration = 0;
  Mode mode = Mode::Corrected;
};
Answer timeOfTable(const TableQuestion &, const SubtiledTile &, long resident);
/// Searches all tiles of forEachRectangle; if `resident` of the settings is 0, the best number is taken for
/// each tile.
Answer bestTables(const TableQuestion &, const TileSearchSettings &, std::size_t shown);

} // namespace pbc::model
