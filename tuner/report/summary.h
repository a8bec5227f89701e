// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the user gets at the end: the result as text or JSON, and the lines that stand above the
// configuration.
#pragma once
#include "tuner/evaluate/accuracy.h"
#include "tuner/evaluate/machine_noise.h"
#include "tuner/space/provenance.h"
#include "tuner/strategy/tune.h"

namespace pbc::tuner {

struct Summary {
  std::string program; // path
  std::string output;  // where the configuration is
  std::string journal;
  std::string report; // the page; empty: none
  std::string machine;
  std::string sizes; // of the largest size that was reached
  std::string fullSizes;
  std::vector<std::string> tunedSizes; // at which something was measured, the largest last
  std::string effort;                  // "quick, 60 s, seed 1"
  double elapsed = 0;
  int runs = 0, remembered = 0;
  MachineNoise noise;
  int examined = 0;       // inputs of other sizes and values that results were compared on
  bool stopped = false;   // by the user
  bool isCut = false;     // by the end of the budget, before the search had its last word
  bool isRefresh = false; // `default` of the result is the stored configuration
  bool kept = false;      // stopped before anything better than the earlier configuration was found
  TuneResult result;      // what it calls seconds: objective_evaluator.h
  Objective objective;
  std::optional<Metrics> byDefault, tuned; // of another objective than time
  std::string front;                       // which point of a front this is; empty: none
  std::optional<Verified> accuracy;        // at the largest size, of a program with accuracy targets; empty:
                                           // it was stopped before
  std::vector<std::string> missed;         // sizes at which the target is missed
};

/// The beginning of the first comment of a configuration.
inline const std::string kMadeByTune = "Made by pbc tune";

std::string asText(const ProgramSpace &, const Summary &);
std::string asJson(const ProgramSpace &, const Summary &);
/// The same as data, for the table [made-by].
struct Effort {
  std::string name; // "quick"
  double budget = 0;
  long seed = 0;
};
Provenance madeBy(const ProgramSpace &, const Summary &, const Effort &);
/// Date, machine, sizes, times and effort: the comments of the configuration file.
std::vector<std::string> provenance(const ProgramSpace &, const Summary &);
/// Of these, the first ones tell of the whole tuning, the others of one accuracy bin, if there are several.
inline constexpr int kProvenanceHead = 2;

} // namespace pbc::tuner
