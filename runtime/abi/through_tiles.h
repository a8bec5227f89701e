// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops whose inputs are computed tile by tile: of a `through` matrix only the cells that a tile needs exist,
// in buffers of the worker that computes the tile.
//
//   Out[x,y] from Rows[x, y..y+k], Rows[x,y] from In
//   tile [0, 512) x [0, 200)  =>  cells [0, 512) x [0, 199 + k) of Rows, computed at these points
//
//   static const pb::ThroughTiles pb_through_0 = {pb_tile_boxes_0, 1, 1, {sizeof(float)}};
//   static void pb_tile_0(const void *frame, const long *low, const long *high) {
//     Frame f = a copy;
//     pb_tile_boxes_0(&f, low, high, cells, points);
//     pb::tileRegions(pb_through_0, cells, regions);
//     f.m_Rows = the region;
//     pb::runPart(&f, pb_kernel_0, points[0]);
//     pb_kernel_1(&f, low, high);
//   }
//
// The regions of a tile are indexed like the whole matrix: only the cells of its box may be touched.
#pragma once
#include "loops.h"

namespace pb {

struct ThroughTiles {
  static constexpr int kMost = 32;
  /// For the tile [low, high): gives the cells of each matrix that must exist, and the points of each loop
  /// that writes some of them; boxes are empty where there are none.
  void (*boxes)(const Frame *, const long *low, const long *high, Box *cells, Box *points);
  int matrices, loops;
  long bytes[kMost]; // bytes of an element, by matrix
  /// Bytes that each tile reads again, because its loops use them for all rows of their blocks in registers; null: none.
  long (*again)(const Frame *) = nullptr;
};

/// A box that contains nothing until includeCells() enlarges it.
Box noCells(int rank);
/// Enlarges `box` to the smallest box that also has the cells of [low, high) that lie in [0, extent).
void includeCells(Box *box, const long *low, const long *high, const long *extent);

struct TileRegion {
  void *base; // address of the cell at 0, which may lie outside of the buffer
  long stride[5];
};
/// Gives buffers of this thread for the cells of one tile; they are valid until the next call.
void tileRegions(const ThroughTiles &, const Box *cells, TileRegion *regions);

inline void runPart(const Frame *frame, BoxFunction kernel, const Box &points) {
  if (!isEmpty(points))
    kernel(frame, points.low, points.high);
}

/// The tiles of a step with `through` matrices. It has no dimensions if the matrices are better computed as a
/// whole: when they fit in the caches of the workers, when no tile fits in a cache, when tiles would
/// compute too many cells twice, or when they would read more again than the matrices have cells.
Split throughTiles(const LoopStep &, const Frame *, const Box &, int workers);
inline bool isWhole(const Split &split) { return split.size[0] == 0; }

} // namespace pb
