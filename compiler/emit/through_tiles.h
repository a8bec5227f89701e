// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emits a plan's groups (kernel/fuse.h): for each group a function that says which cells and points a tile
// needs, a kernel that computes the tile with them, and the table that the runtime walks.
#pragma once
#include "compiler/emit/parts.h"
#include <set>

namespace pbc::emit {

/// The names of the plan's steps in the unit, and the number of their task dimensions.
struct StepNames {
  std::vector<std::string> kernels, boxes;
  std::vector<std::size_t> taskDimensions;
  std::vector<std::set<int>> again; // readByAllRows() of the step
};

/// The matrices of which blocks in registers read strips of columns, each block of rows the same ones.
std::set<int> readByAllRows(const kernel::Scheduled &);

struct ThroughTilesText {
  std::string functions;
  std::string kernel, table; // their names
};

/// The text for the `number`th group of the transform.
ThroughTilesText throughTiles(const Scope &, const kernel::TileGroup &, const StepNames &,
                              std::size_t number);

} // namespace pbc::emit
