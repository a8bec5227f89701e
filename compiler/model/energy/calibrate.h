// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds from measured runs what energy is spent on: a regression with the least absolute errors over some of
// the runs (training), and how well it predicts the others (test).
//
//   const EnergyFit fit = fitEnergy(measurements, {.training = 0.1, .seed = 1});
//   fit.costs[Spent::Static]     53.1 W
//   fit.rows                     for each code: the number of runs, and the root of the mean squared relative
//                                error in training and test
//
// Coefficients that the measurements cannot tell apart (Smith-Waterman adds as often as it takes maxima) are
// not guessed: the later ones are left at 0 and named. Sums of energies are nevertheless right for such runs.
//
// Invariant: every run is in the training or in the test set, always the same for the same seed; costs are
// not negative. Source: cost-models.md section 2.4, Model B.
#pragma once
#include "compiler/model/energy/measurements.h"

namespace pbc::model {

struct FitOptions {
  double training = 0.1; // the share of each code's runs, rounded up
  uint64_t seed = 1;     // of the random choice
  std::optional<double>
      sharedFactor; // EnergyRun::sharedFactor; absent: 1 or 4, whichever fits the training better
};

struct FitRow {
  std::string code; // or "all"
  size_t training = 0, test = 0;
  double trainingError = 0, testError = 0; // RMSE, relative to the measured energy
};

struct EnergyFit {
  Spendings costs;
  double sharedFactor = 4;
  std::vector<FitRow> rows; // codes, then "all"
  std::vector<Spent> undetermined;
  double absoluteError = 0; // sum over the training, J
};

/// Throws Problem if the training has fewer runs than there are coefficients, or no run is left for the test.
EnergyFit fitEnergy(const std::vector<EnergyMeasurement> &, const FitOptions & = {});

/// The root of the mean squared error of predictions, relative to the measured values.
double relativeError(const std::vector<EnergyMeasurement> &, const Spendings &costs);

} // namespace pbc::model
