// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures a whole space, for simulations: every point of the finest grid that has so many points, at the
// full size and a few below it.
//
//   record(space, steps, info, {.points = 3000, .passes = 15}, evaluator, note)   ->  a MeasuredSpace
//
// It goes over the space several times, and keeps for each point the lower quartile of the best runs of the
// passes: a disturbance of the machine affects one pass at a few points, not a region of the space. Among
// hundreds of points some have lucky times, and the fastest ones most of all; so the fastest tenth is
// measured again in three times as many passes. The number of threads is the default's. Invariant: the
// default is a point, and accepted (else TunerError).
#pragma once
#include "tuner/evaluate/measured_space.h"

#include <functional>

namespace pbc::tuner {

struct RecordSettings {
  int points = 3000; // of the grid, at most
  int passes = 15;
  double patience = 20; // times the default's time: slower points are "too slow"
};

/// `sizes`: those of the evaluator, in its order; all of them are recorded.
MeasuredSpace record(const ProgramSpace &, const std::vector<TestSize> &sizes, const std::string &info,
                     const RecordSettings &, Evaluator &,
                     const std::function<void(const std::string &)> &note);

} // namespace pbc::tuner
