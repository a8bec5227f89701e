// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The output at the end: the result as text or JSON, and the comments at the head of the configuration.
#pragma once
#include "tuner/evaluate/accuracy.h"
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/evaluate/machine_noise.h"
#include "tuner/space/provenance.h"
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

/// What bounds have told, if they were asked for.
struct BoundSummary {
  int leftOut = 0;                      // configurations that were not run
  LowerBound bound;                     // of the result
  std::vector<std::string> hopeless;    // alternatives that cannot win, with sizes
  std::vector<std::string> refutations; // bounds that were too high
};

struct Summary {
  std::string program; // path
  std::string output;  // where the configuration is
  std::string journal;
  std::string report; // path of the report page; empty: none
  std::string machine;
  std::string sizes; // the largest size that was reached
  std::string fullSizes;
  std::vector<std::string> tunedSizes; // sizes at which something was measured, the largest last
  std::string effort;                  // "quick, 60 s, seed 1"
  double elapsed = 0;
  int runs = 0, remembered = 0;
  MachineNoise noise;
  int examined = 0;       // number of inputs of other sizes and values on which results were compared
  bool stopped = false;   // by the user
  bool isCut = false;     // the budget ended before the search had finished
  bool isRefresh = false; // the result's `default` is the stored configuration
  bool kept = false;      // stopped before a better configuration than the earlier one was found
  TuneResult result;      // its "seconds" are those of objective_evaluator.h
  Objective objective;
  std::optional<Metrics> byDefault, tuned; // set if the objective is not time
  std::optional<BoundSummary> bounds;
  std::string front; // which point of a front this is; empty: none
  /// At the largest size, for a program with accuracy targets; empty if the tuning stopped before.
  std::optional<Verified> accuracy;
  std::vector<std::string> missed; // sizes at which the target is missed
};

/// The beginning of the first comment of a configuration.
inline const std::string kMadeByTune = "Made by pbc tune";

std::string asText(const ProgramSpace &, const Summary &);
std::string asJson(const ProgramSpace &, const Summary &);
/// The effort as data, for the table [made-by].
struct Effort {
  std::string name; // "quick"
  double budget = 0;
  long seed = 0;
};
Provenance madeBy(const ProgramSpace &, const Summary &, const Effort &);
/// The comments of the configuration file: date, machine, sizes, times and effort.
std::vector<std::string> provenance(const ProgramSpace &, const Summary &);
/// This many of these comments describe the whole tuning; the rest describe one accuracy bin, if there are
/// several.
inline constexpr int kProvenanceHead = 2;

} // namespace pbc::tuner
