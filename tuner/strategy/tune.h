// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The whole tuning of one program, with any evaluator: search, polish, race.
//
//   TuneResult result = tune(space, sizes, {}, {.deadline = 60, .seed = 1}, evaluator, observer);
//   chooseStrategy(space, {.deadline = 60, .trials = 40})    ->  bayesian: few trials
//   chooseStrategy(space, {.deadline = 60}, 2.5)             ->  bayesian: there is time for 24 runs
//
// Invariant: deterministic if the evaluator is (requirement 86); if the user stops it, it returns the best
// configuration that was significantly faster than the default at the largest size reached. Source:
// petabricks-hetero 7.2; which strategy for which budget: docs/tuning.md, measured by bench/tuner.
#pragma once
#include "tuner/strategy/predicted_seeds.h"
#include "tuner/strategy/race.h"
#include "tuner/strategy/strategy.h"

#include <cstdint>

namespace pbc::tuner {

struct TuneSettings {
  double deadline = 60; // seconds of the evaluator's clock
  int trials = 0;       // measurements of the search without the final race; 0: as many as there is time for
  std::uint64_t seed = 1;
  int population = 10;
  ChosenStrategy strategy = {}; // empty: chosen by budget
  bool isRaced = true;       // false: the best so far is returned without a race, because the caller compares
  Ties ties = Ties::Default; // between the default and the first of the earlier configurations
  /// Configurations to start from, besides the default and its alternatives.
  std::vector<Configuration> seeds = {};
  /// Others, which a model predicts to be faster than the default at the full size.
  std::vector<PredictedSeed> predicted = {};
};

struct TuneResult {
  Configuration best;
  bool changed = false;      // the best differs from the default
  bool raced = false;        // whether the final comparison was made
  double defaultSeconds = 0; // at the largest size reached
  double bestSeconds = 0;
  bool keptPrevious = false; // the earlier result was kept, because nothing is faster beyond noise
  std::vector<double> defaultTimes, bestTimes; // of the race, in turns
  int size = 0;                                // index of that size
  int measurements = 0;                        // without the final race
  std::vector<Fault> faults;
  std::string strategy;             // its name
  std::optional<Coverage> coverage; // set by an exhaustive one
};

/// `seconds`: the default's time at the full size; 0: not known.
ChosenStrategy chooseStrategy(const ProgramSpace &, const TuneSettings &, double seconds = 0);

/// The race decides, unless it ended too soon.
void takeOver(const RaceResult &, TuneResult &);

/// `earlier`: configurations that are tried and take part in the final race, for example the result of an
/// earlier tuning.
TuneResult tune(const ProgramSpace &, const std::vector<TestSize> &,
                const std::vector<Configuration> &earlier, const TuneSettings &, Evaluator &, Observer &);

} // namespace pbc::tuner
