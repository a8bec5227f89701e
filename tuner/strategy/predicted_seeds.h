// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations that a model predicts to be fast are measured at the full size before a search begins, which comes to that size last.
//
//   default 4 ms; predicted 2 times as fast: 2.2 ms; predicted 1.5 times as fast: not measured, if the first one had taken 8 ms
//
// What is not slower than the default is kept, as a seed of the search. A prediction is no bound: where it is wrong by more than a factor of 1.65, the
// model knows nothing of this program, and no further one is measured. Source: bottleneck-analysis.md 6.3, (1) and (5).
#pragma once
#include "tuner/strategy/tester.h"

namespace pbc::tuner {

struct PredictedSeed {
  Configuration configuration;
  double timesAsFast = 1; // as the default, predicted
};

/// Those to start from, the fastest first. `seconds`: so long it may take; with less time than for a run of each, all are taken as they are.
std::vector<Configuration> startOf(const std::vector<PredictedSeed> &, const Configuration &defaults,
                                   const TestSize &full, int size, double seconds, Evaluator &, Observer &);

} // namespace pbc::tuner
