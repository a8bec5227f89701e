// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops whose inputs are computed tile by tile: `through` matrices of which only the cells that a tile needs
// exist, in buffers of the worker that computes it.
//
//   Out[x,y] from Rows[x, y..y+k], Rows[x,y] from In
//   tile [0, 512) x [0, 200)  =>  cells [0, 512) x [0, 199 + k) of Rows, computed at these points
//
//   static const pb::ThroughTiles pb_through_0 = {pb_tile_boxes_0, 1, 1, {sizeof(float)}};
//   static void pb_tile_0(const void *frame, const long *low, const long *high) {
//     Frame f = a copy;  pb_tile_boxes_0(&f, low, high, cells, points);  pb::tileRegions(pb_through_0, cells,
//     regions); f.m_Rows = the region;  pb::runPart(&f, pb_kernel_0, points[0]);  pb_kernel_1(&f, low, high);
//   }
//
// The regions of a tile are indexed like the matrix: only the cells of its box may be touched.
#pragma once
#include "loops.h"

namespace pb {

struct ThroughTiles {
  static constexpr int kMost = 32;
  /// For the tile [low, high): of each matrix the cells that must exist, and of each loop that writes some of
  /// them its points; empty boxes where there are none.
  void (*boxes)(const Frame *, const long *low, const long *high, Box *cells, Box *points);
  int matrices, loops;
  long bytes[kMost]; // of an element, by matrix
};

/// A box that includeCells() has not been asked to make larger.
Box noCells(int rank);
/// The smallest box with the cells of `box` and those of [low, high) that lie in [0, extent).
void includeCells(Box *box, const long *low, const long *high, const long *extent);

struct TileRegion {
  void *base; // of the cell at 0: may lie outside of the buffer
  long stride[5];
};
/// Buffers of this thread for the cells of one tile, until the next call.
void tileRegions(const ThroughTiles &, const Box *cells, TileRegion *regions);

inline void runPart(const Frame *frame, BoxFunction kernel, const Box &points) {
  if (!isEmpty(points))
    kernel(frame, points.low, points.high);
}

/// The tiles of a step with `through`; no dimensions if the matrices are better made as a whole: when they
/// fit in the caches of the workers, when no tile fits in one, or when tiles would compute too much twice.
Split throughTiles(const LoopStep &, const Frame *, const Box &, int workers);
inline bool isWhole(const Split &split) { return split.size[0] == 0; }

} // namespace pb
