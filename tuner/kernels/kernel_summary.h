// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The output at the end of `pbc tune --kernels`: the result as text or JSON, and the comments above the
// settings in the configuration.
#pragma once
#include "tuner/kernels/predictions.h"
#include "tuner/kernels/proofs.h"
#include "tuner/kernels/search.h"

namespace pbc::tuner {

struct KernelSummary {
  std::string program, journal, machine;
  std::string configuration; // empty: none was written
  std::string size;
  int compiled = 0, runs = 0;
  double elapsed = 0;
  bool stopped = false; // by the user
  KernelSearchResult result;
  std::vector<KernelProof> proofs;           // with --effort=prove
  std::vector<KernelPrediction> predictions; // with --guide
  double predictionSeconds = 0;              // that they and those of edits took
  double enough = 1.05;                      // kernels within so many times their bound were left alone
};

/// Whether the kernel is so near to its bound, at the sizes at which it runs, that it needs no edits.
bool isLeftAlone(const KernelProof &, double enough);

std::string asText(const KernelSummary &);
std::string asJson(const KernelSummary &);
std::vector<std::string> provenance(const KernelSummary &);

} // namespace pbc::tuner
