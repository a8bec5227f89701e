// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// `--kernels --guide`: which schedule is predicted to be fast, by a search that follows what limits a kernel (`pbc emulate --guide`), before
// variants of the program are compared.
//
//   KernelPrediction p = predictionOf(settings, kernel);
//   p.script       "tasks(); vector(x); jam(y; 4)"
//   p.limit        "limited by L2 throughput (0.81), next arithmetic throughput (0.13)"
//
// Nothing is measured for it. Source: bottleneck-analysis.md 6.3.
#pragma once
#include "tuner/kernels/proofs.h"

namespace pbc::tuner {

struct KernelPrediction {
  std::string transform, kernel;
  std::string why;        // it is not predicted; a sentence
  std::string limit;      // of the compiler's own schedule
  std::string script;     // the proposed one
  double timesAsFast = 1; // as predicted

  std::string title() const { return transform + "." + kernel; }
};

/// Runs `pbc emulate --guide`. Throws TunerError if it cannot run, or was stopped.
KernelPrediction predictionOf(const ProofSettings &, const KernelOption &kernel);
/// Reads its output.
KernelPrediction parsePrediction(const std::string &json, const KernelOption &kernel);

/// The script to be compared with what is in use; nothing to try if it is the same.
KernelOption seedOf(const KernelPrediction &, const KernelOption &kernel);

} // namespace pbc::tuner
