// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Codes whose rectangular tiles run in wavefronts that grow and shrink: orthogonal tiles of a table
// (Smith-Waterman), and time-skewed tiles of a 1-D stencil.
//
//   tableWavefronts(3, 2)                        =>  {1, 2, 2, 1}     tiles at once
//   skewedWavefronts(65536, 1024, 512, 128)      =>  137 wavefronts, at most 8 wide, 1032 tiles
//   wavefrontTime(gtx980, tableWavefronts(64, 48), 2, 9e-6)  =>  1.524564e-3 s
//
// Invariant: the widths add up to the number of tiles. The source says that A.7, with one width for all
// wavefronts, holds for these codes too; only A.2, wavefront by wavefront, does. Source: cost-models.md 1.8.
#pragma once
#include "compiler/model/time/stencil_time.h"

#include <functional>

namespace pbc::model {

/// The widths for a table of rows x columns of tiles, by antidiagonals. Throws Problem if there are no tiles
/// or too many.
std::vector<long> tableWavefronts(long rows, long columns);

/// The widths for a 1-D stencil over `extent` places and `steps`, skewed by (place, step) -> (place + step,
/// step), in tiles of `width` x `height`.
std::vector<long> skewedWavefronts(long extent, long steps, long width, long height);

/// Talg (A.2), where `group` is the time of k tiles on a unit.
double wavefrontTime(const StencilMachine &, const std::vector<long> &widths, long resident, double group);

/// The least time over the numbers of resident tiles. A group is charged in full even if a wavefront has
/// fewer tiles, so the largest number that fits is often not the best.
struct ResidentChoice {
  long resident = 0;
  double group = 0, total = 0;
};
ResidentChoice bestResident(const StencilMachine &, const std::vector<long> &widths, long least, long most,
                            double transfer, double compute);

/// A rectangular tile that the lanes of a unit compute in subtiles, antidiagonal by antidiagonal (DERIVED).
struct SubtiledTile {
  long width = 1, height = 1;       // tS, tT
  long subWidth = 1, subHeight = 1; // sS, sT: what one lane computes alone
};
double subtiledCompute(const StencilMachine &, const SubtiledTile &, double iteration);

/// The model of a dynamic-programming table (Smith-Waterman) cut into such tiles. Printed: A.7, as if every
/// wavefront were as wide as the widest, and each unit had the far memory to itself.
struct TableTime {
  std::vector<long> widths;
  long resident = 0, tileWords = 0;
  double movedWords = 0; // of a tile: 4.25 (tS + tT)
  double transfer = 0, compute = 0, group = 0, total = 0;
  double ideal = 0;
};
TableTime tableTime(const StencilMachine &, long rows, long columns, const SubtiledTile &, double iteration,
                    long resident = 0, Mode = Mode::Corrected);

/// Calls `take` with the rectangular tiles that a block can hold, 2 (width + factor * height) words: sides of
/// 32, 64, 96, 128, 192, 256, ..., square subtiles of 1, 2, 4, 8, 16. Tiles so small that there would be more
/// than 100,000 wavefronts are left out.
void forEachRectangle(const StencilMachine &, long extent, long steps, long factor,
                      const std::function<void(const SubtiledTile &)> &take);

} // namespace pbc::model
