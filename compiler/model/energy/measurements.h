// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads measured energies of tiled programs from a CSV file whose first line names the columns, in any order:
//
//   stencil,S1,S2,T,tS1,tS2,tT,sS,seconds,joules
//   Jacobi2D,4096,4096,1024,8,64,16,,0.5,64.1
//   SmithWaterman,4096,,4096,256,,256,8,0.02,0.98
//
// S2 and tS2 are only for Jacobi2D, sS only for the other two; otherwise they stay empty. Invariant: each row
// is a run that check() accepts, with a positive time and energy; a Problem names the line.
#pragma once
#include "compiler/model/energy/tiled_energy.h"

#include <string>
#include <vector>

namespace pbc::model {

struct EnergyMeasurement {
  EnergyRun run;
  double seconds = 0, joules = 0;
};

/// `name` is for messages.
std::vector<EnergyMeasurement> energyMeasurements(const std::string &text, const std::string &name);
std::vector<EnergyMeasurement> readEnergyMeasurements(const std::string &path);

} // namespace pbc::model
