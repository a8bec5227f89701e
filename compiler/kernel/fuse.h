// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Fuses producer and consumer tile by tile, so that `through` matrices need not exist as a whole.
//
//   Rows[x,y] from In;  Out[x,y] from Rows[x, y..y+k]      two loops; Rows goes to memory and comes back
//   =>  for each tile of Out:
//         first the points of Rows that it reads, into a buffer in the cache
//         then the tile
//
//   group: consumer step 1; Rows: cells [low0, high0) x [low1, high1 + k - 1) of the tile [low0, high0) x ..
//          producer step 0: x in the cells' dimension 0, y in their dimension 1
//
// The kernels stay as they are. A group says, for a tile of the consumer's task dimensions, which cells of
// each matrix its buffer must hold, and at which points the producers run, both as boxes; cells that two
// tiles need are computed for each of them. The runtime decides by the sizes how large tiles are and whether
// fusing pays (runtime/abi/through_tiles.h).
//
// Invariant: a producer that is limited to its points writes only cells of the matrix's box, and every cell
// that the consumer or a producer reads for the tile is written before, in the plan's order.
#pragma once
#include "compiler/kernel/touched_cells.h"
#include "compiler/schedule/plan.h"

namespace pbc::kernel {

struct TileProducer {
  /// A dimension of the matrix, and how the points depend on it: a task dimension is the coordinate minus
  /// `offset`; or (`task` < 0) the coordinate is always `offset`; or all coordinates are needed.
  struct Dimension {
    enum class Kind { Moves, Fixed, All } kind;
    int task = -1;
    std::optional<isl::pw_aff> offset = {}; // over the parameters
  };
  int step;
  int matrix; // the matrix that it writes
  std::vector<Dimension> dimensions;
  std::vector<CellsBox> reads; // of other matrices of the group
};

struct TileGroup {
  int consumer; // index of the step
  std::vector<int> matrices;
  std::vector<CellsBox> reads;         // of the consumer
  std::vector<TileProducer> producers; // in the plan's order
};

struct Fusion {
  std::vector<TileGroup> groups;
  std::vector<std::pair<int, std::string>> refused; // `through` matrices that exist as a whole, and why
};

/// The fusion of one plan; `kernels` are those of its steps, nothing for steps that call transforms.
Fusion fuse(const sema::Transform &, const schedule::Plan &,
            const std::vector<std::optional<Scheduled>> &kernels);

/// Lines about each group, as comments beside the kernels; "" if there is none.
std::string print(const sema::Transform &, const Fusion &);

} // namespace pbc::kernel
