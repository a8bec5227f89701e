// The whole tuning of one program, against any evaluator: search, polish, race.
//
//   TuneResult result = tune(space, sizes, {}, {.deadline = 60, .seed = 1}, evaluator, observer);
//
// Invariant: deterministic for an evaluator that is (requirement 86); if the user stops it, the best that was
// significantly faster than the default at the largest size reached is returned. Source:
// petabricks-hetero 7.2.
#pragma once
#include "tuner/strategy/evolution.h"
#include "tuner/strategy/race.h"

#include <cstdint>

namespace pbc::tuner {

struct TuneSettings {
  double deadline = 60; // seconds of the evaluator's clock
  std::uint64_t seed = 1;
  int children = 0; // at each size; 0: by the number of open decisions
  int population = 10;
  bool onlyForced = false; // effort "instant"
};

struct TuneResult {
  Configuration best;
  bool changed = false;      // better than the default
  bool raced = false;        // the last comparison was made
  double defaultSeconds = 0; // at the largest size reached
  double bestSeconds = 0;
  bool keptPrevious = false;                   // the earlier result, for nothing is faster beyond noise
  std::vector<double> defaultTimes, bestTimes; // of the race, in turns
  int size = 0;                                // index of that size
  int measurements = 0;
  std::vector<Fault> faults;
};

/// `earlier`: configurations worth trying, for example the result of an earlier tuning.
TuneResult tune(const ProgramSpace &, const std::vector<TestSize> &,
                const std::vector<Configuration> &earlier, const TuneSettings &, Evaluator &, Observer &);

} // namespace pbc::tuner
