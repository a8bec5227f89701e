// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tiled stencil's time is spent on in addition to the ideal time: as factors that need no measured
// iteration time, and as seconds that add up.
//
//   Jacobi2D 4096 x 4096, 1024 steps, tile 8 x 64 x 16, GTX 980, at the printed rate of transfers:
//     time 1, wavefront 1.40625, fringe 1.015625, lanes 1
//     computing 0.40615 s + barriers 0.00127 s + transfers and launches 0.00016 s = 0.40758 s
//
// Invariants: every factor is at least 1, so computing takes at least the ideal time; the parts add up to the
// total. If the memory is slower than the lanes, computing that is hidden behind transfers is not a part.
// Source: cost-models.md 1.11; 8.1 to 8.5.
#pragma once
#include "compiler/model/time/stencil_time.h"

namespace pbc::model {

struct Overhead {
  double time = 1;      // q_t: steps of the last period beyond the requested ones
  double wavefront = 1; // q_s: units without a tile, tiles beyond the border
  double fringe = 1;    // q_2: slices that extend over the border
  double lanes = 1;     // q_v: lanes without a point in the last turn of a row
  double factor() const { return time * wavefront * fringe * lanes; }

  double ideal = 0;     // seconds, with all lanes always busy
  double computing = 0; // not hidden by transfers; ideal * factor() if the tile is compute-bound
  double barriers = 0;
  double transfers = 0;
  double launches = 0;
  bool isComputeBound = true; // c >= m'
  double total() const { return computing + barriers + transfers + launches; }
};

/// The overhead of a time that was computed with the corrected pitch.
Overhead overheadOf(const StencilMachine &, const StencilProblem &, const Tile &, const StencilTime &);

/// 8.5 as printed: it includes neither the units nor the inner dimensions, so it is the time of no real
/// machine.
double printedOverhead(const StencilProblem &, const Tile &);

/// What 8.5 counts: the rows of all hexagons, each of which wastes up to one turn (`wasted` of it, 0 to 1)
/// and one barrier.
double rowOverhead(const StencilMachine &, const StencilProblem &, const Tile &, double wasted);

} // namespace pbc::model
