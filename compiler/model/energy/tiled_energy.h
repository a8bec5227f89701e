// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The energy of a tiled program: the events of one tile times the number of tiles, plus static power over the
// time that the program takes.
//
//   EnergyRun run{.code = EnergyCode::Jacobi2D, .size1 = 4096, .size2 = 4096, .steps = 1024,
//                 .tile1 = 8, .tile2 = 64, .tileSteps = 16};
//   joules(spentByTile(run), costs)             3.564e-5 J     Etile (B.6)
//   joules(spentByRun(run, 0.5), costs)         64.02 J        Ealg, 0.5 s (B.1)
//
// Synchronisation, the host and transfers to the device are not included. Invariant: counts are finite and
// not negative; a run that no program can make is refused with Problem. Source: cost-models.md sections 2.2
// and 2.3.
#pragma once
#include "compiler/model/energy/costs.h"
#include "compiler/model/mode.h"

#include <cstdint>

namespace pbc::model {

enum class EnergyCode {
  SmithWaterman, // orthogonal tiles over two sequences: size1 x steps
  Jacobi1D,      // time-skewed tiles: size1 points, steps
  /// Hexagons in time and the first extent, cut along the second: size1 x size2 points, steps; with another
  /// PointWork any stencil of two dimensions.
  Jacobi2D
};

const char *nameOf(EnergyCode);
/// Reads "SmithWaterman", "Jacobi1D", "Jacobi2D". Throws Problem with the names.
EnergyCode energyCode(const std::string &name);

/// The events of a hexagonally tiled stencil at a point and a step. The defaults are those of Jacobi2D.
struct PointWork {
  std::string name = "Jacobi2D";
  int64_t radius = 1;     // distance of the farthest neighbour that it reads
  double words = 1;       // of a point
  double sharedWords = 6; // between shared memory and registers: five loads and a store (mu_sr)
  Spendings operations;   // only these of Spent

  PointWork() {
    operations[Spent::FloatAdd] = 4;
    operations[Spent::FloatMultiply] = 1;
  }
};

struct EnergyRun {
  EnergyCode code = EnergyCode::Jacobi2D;
  int64_t size1 = 0, size2 = 1, steps = 0;     // S1, S2, T
  int64_t tile1 = 0, tile2 = 1, tileSteps = 0; // tS or tS1, tS2, tT
  int64_t subTile = 1;                         // sS: for Smith-Waterman and Jacobi1D, kept in registers
  /// The factor of Jacobi1D's words between shared memory and registers: 4 as in the source and as its costs
  /// were fitted; the counts themselves give 1 [section 2.3].
  double sharedFactor = 4;
  PointWork work; // for Jacobi2D
};

/// Throws Problem if an extent, a step or a tile is impossible.
void check(const EnergyRun &);

Spendings spentByTile(const EnergyRun &);
/// The number of iteration points of a tile (Vtile).
double volumeOfTile(const EnergyRun &);
/// The number of tiles. Printed: for Jacobi1D the points of the problem divided by those of a tile.
/// Corrected: its skewed tiles as they are cut, counting those at the borders as full. For the other codes
/// both are the same (B.5: the second extent is covered as if the last tile could be cut).
double tilesOf(const EnergyRun &, Mode = Mode::Corrected);
Spendings spentByRun(const EnergyRun &, double seconds, Mode = Mode::Corrected);

} // namespace pbc::model
