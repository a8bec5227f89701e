// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Time and energy over the tiles of a program: the fastest tile, the one with the least energy, and those
// between.
//
//   const EnergyFront front = energyFront(k20c, costs, run, 5.4e-8);
//   front.points[front.leastEnergy]     the tile, its predicted time and its energy
//
// The time is that of the models of time/: hexagons for Jacobi2D, wavefronts of rectangular tiles for the
// others, whose lanes each compute square sub-tiles.
//
// Invariant: indices are into `points`, which are all tiles that were tried; the front is ordered by rising
// time. Source: cost-models.md sections 2.5 and 4.4 (energy-delay product).
#pragma once
#include "compiler/model/energy/tiled_energy.h"
#include "compiler/model/time/stencil_time.h"

#include <vector>

namespace pbc::model {

/// Seconds of one run. Throws Problem if its tile does not fit.
double predictedSeconds(const StencilMachine &, const EnergyRun &, double iteration);

struct EnergyPoint {
  EnergyRun run;
  double seconds = 0, joules = 0;
  double product() const { return seconds * joules; } // energy-delay
};

struct EnergyFront {
  std::vector<EnergyPoint> points;
  std::vector<size_t> front; // no other point is faster and takes less energy
  size_t fastest = 0, leastEnergy = 0, leastProduct = 0;
};

/// For the problem in `like`, whose tile is not used. The tiles of Jacobi2D are all feasible ones. The others
/// have sides of 32, 64, 96, 128, 192, ..., and square sub-tiles of 1, 2, 4, 8 or 16. Throws Problem if none
/// fits.
EnergyFront energyFront(const StencilMachine &, const Spendings &costs, const EnergyRun &like,
                        double iteration, Mode = Mode::Corrected);

} // namespace pbc::model
