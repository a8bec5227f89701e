// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Hexagons that tile the plane of time and the first dimension of space, so that all tiles of a wavefront can
// start together.
//
//   Hexagon{.base = 3, .height = 6}       rows from bottom to top:  3 5 7 7 5 3
//     widest() 7, area() 30, pitch() 10 (from one to the next of its colour), inputs() 15
//
// There are two colours, shifted by half a period in time and in space. Wavefront 2y+1 is the colour that
// covers steps [y height - height/2, y height + height/2), wavefront 2g+2 the one that covers [g height,
// (g+1) height).
//
// Invariant: every point (step, place) is in one tile; the points on which it depends, up to `radius` places
// away one step before, are in the same tile or in an earlier wavefront. tests/unit/model/hexagon_test.cpp
// counts both. Source: cost-models.md 1.2; A.3, A.4, A.4.1, B.5, B.6.3, generalised from radius 1.
#pragma once
#include "compiler/model/mode.h"

namespace pbc::model {

struct Hexagon {
  long base = 1;   // points of the lowest and of the highest row (tS1)
  long height = 2; // steps (tT), even
  long radius = 1; // distance of the farthest point one step before on which a point depends

  long widest() const { return base + radius * (height - 2); }                  // A.4
  long area() const { return height * (2 * base + radius * (height - 2)) / 2; } // B.6.3
  long inputs() const { return base + 2 * radius * height; }                    // A.4.1: points read
  /// Points that other tiles read: A.4.1 says as many as inputs(), which is a few too many.
  long outputs() const;
  /// Points of row 0 <= row < height.
  long width(long row) const { return base + 2 * indent(row); }
  /// The distance from a hexagon to the next of the same colour. Printed (A.6) does not account for the
  /// widest rows being two radii narrower than base + radius * height: hexagons at that distance would leave
  /// points out.
  long pitch(Mode mode = Mode::Corrected) const {
    return 2 * base + radius * (mode == Mode::Printed ? height : height - 2);
  }
  /// By how many places a row begins to the left of the lowest one.
  long indent(long row) const { return radius * (row < height / 2 ? row : height - 1 - row); }
};

/// The tile of a point: the `column`-th of its wavefront.
struct HexagonPlace {
  long wavefront, column;
  bool operator==(const HexagonPlace &) const = default;
};
HexagonPlace hexagonOf(const Hexagon &, long step, long place);

/// The number of wavefronts in the time model: two for each period (A.3 without its last term).
long wavefronts(long steps, long height);

/// The true number of wavefronts: one more if the last period reaches beyond its middle (A.3).
long exactWavefronts(long steps, long height);

/// How many hexagons of a wavefront, 1 <= wavefront <= exactWavefronts, have points in steps x extent.
long tilesOfWavefront(const Hexagon &, long extent, long steps, long wavefront);

} // namespace pbc::model
