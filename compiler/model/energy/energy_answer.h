// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers about energy for the command line: where a run's energy goes, the front over tiles, a calibration.
//
//   energyOfRun(question, run)     shares of static power, memories and operations;
//                                  what would lower the largest
//
// Source: cost-models.md section 2.
#pragma once
#include "compiler/model/answer.h"
#include "compiler/model/energy/calibrate.h"
#include "compiler/model/energy/energy_front.h"

namespace pbc::model {

struct EnergyQuestion {
  std::string costsName; // "K20c, regression"
  Spendings costs;
  EnergyRun run;                         // energyOfRun only uses its tile
  std::optional<StencilMachine> machine; // to predict the time; absent: `seconds` is given
  double iteration = 0;                  // with `machine`
  double seconds = 0;
  Mode mode = Mode::Corrected;
  std::vector<std::string> remarks;
};

Answer energyOfRun(const EnergyQuestion &);
/// Needs `machine`.
Answer energyOverTiles(const EnergyQuestion &);
Answer energyFit(const EnergyFit &, const std::vector<EnergyMeasurement> &, const std::string &file);

} // namespace pbc::model
