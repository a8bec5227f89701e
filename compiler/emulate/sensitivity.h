// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the time of a kernel depends on: how it changes when one latency or one gap at a time is a little larger.
//
//   12 warps, each 10 times { load from GM; FU on it }, GM { 500, 100 }, FU { 100, 20 }
//   =>  GM throughput 0.95, GM latency 0.04, FU latency 0.01: the bottleneck is GM, and it needs fewer requests, not more of them at once
//
// An elasticity is (dT / T) / (dx / x). In one regime they add up to 1, as the time is proportional to all latencies and gaps together; where two
// regimes meet they add up to more. Regions are perturbed one at a time, so that their elasticities say where the time goes. A larger
// latency may make a schedule better by accident: such elasticities are taken as 0 and counted. Source: bottleneck-analysis.md 4.
#pragma once
#include "compiler/emulate/long_loops.h"

namespace pbc::emulate {

struct Elasticity {
  Parameter parameter;
  double value = 0;             // at least 0
  std::vector<double> byRegion; // of those of the trace; empty if the parameter is one of the core
  /// The time with half of the parameter, for that of the unchanged core; where the analysis looked, and the parameter counts.
  std::optional<double> halved = {};
  std::optional<double> backward =
      {}; // as value, of a parameter that is a little smaller; where the analysis looked
};

struct Analysis {
  Outcome outcome;             // unchanged
  std::vector<Elasticity> all; // the greatest first
  double sum = 0;              // of all values
  double sumBackward =
      0;             // of all backward ones; equal to sum where the analysis did not look, as sum is about 1
  int anomalies = 0; // parameters whose increase shortened the time

  /// Whether two regimes meet: a change of either brings less than the elasticities say.
  bool isBalanced() const;
};

struct AnalysisOptions {
  double step = 0.1;
  bool regions = true;
  double least =
      0; // parameters of resources that are used to a smaller share are taken as 0: throughput, and time with requests in flight; above 1: all
  bool halves = true;
};

/// Finds the time and nothing else: no parameter has such an elasticity.
inline constexpr AnalysisOptions kTimeAlone{.regions = false, .least = 2, .halves = false};

Analysis analyse(const Emulation &, const AnalysisOptions & = {});

} // namespace pbc::emulate
