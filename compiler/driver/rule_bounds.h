// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bounds of the rules of a program for `pbc explain --n=...`: the time below which no schedule of a step stays.
//
//   const RuleBounds bounds = ruleBounds(compilation);
//   bounds.steps[transform][plan][step]   on 1 core: 358 us, on 2 cores: 179 us, each with its derivation
//
// Without sizes there are no bounds, but what `fast` would bring to rules with ordered sums, at typical sizes on a typical processor.
#pragma once
#include "compiler/driver/compilation.h"
#include "compiler/emulate/by_line.h"
#include "compiler/search/predict/fast_gain.h"
#include "compiler/search/prove/rule_bound.h"

namespace pbc::driver {

struct RuleBounds {
  std::string sizes; // "h = 256, w = 256"; "" if they were not asked for
  /// What `--why` says: of the default schedule on one core, and the schedule to try.
  struct Prediction {
    std::string why;     // it is not predicted; a sentence
    std::string verdict; // "limited by memory throughput (0.92), next ..."
    double seconds = 0;
    std::string script;
    double timesAsFast = 1; // with the script
    /// Seconds of those among which a program chooses, `cpu:wide`, where they are predicted; without those for some calls only.
    std::vector<std::pair<std::string, double>> schedules = {};
    /// "memory throughput": by how many percent the time changes with one percent of it; the greatest first.
    std::vector<std::pair<std::string, double>> elasticities = {};
    /// Of the greatest one, from which lines of its rules it comes; the greatest share first.
    std::vector<emulate::LineShare> lines = {};
    std::size_t rules = 0; // of the kernel, which has a name in each share where it has several
  };
  struct Step {
    std::vector<std::pair<int, search::RuleBound>> byCores; // with the least number first
    std::string why;                                        // if there are none: a sentence
    std::optional<Prediction> prediction = {};
    std::optional<search::FastGain> fast = {};
  };
  std::string fastAt;                                     // "on AMD EPYC, n = 256"
  std::vector<std::vector<std::vector<Step>>> steps = {}; // by transform, plan and step

  bool isWanted() const { return !sizes.empty(); }
};

/// Throws Refusal if a size that was given belongs to nothing, or if the machine's file lacks a rate.
RuleBounds ruleBounds(Compilation &);

} // namespace pbc::driver
