// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration that a tuning writes: its origin, the choices, and the settings that the program was
// compiled with.
//
//   ResultFile file;
//   file.text(space, summary, {"quick", 50, 1}, threads)
//   ->  # Made by pbc tune for sort on 2026-11-22 20:49 UTC. ...
//       program = "sort" ...
//       [Sort] ...
//       [made-by] ...
//
// Invariant: one file has the results of all accuracy bins, and its choices are those of all of them.
#pragma once
#include "tuner/report/summary.h"
#include "tuner/space/kernel_settings.h"

namespace pbc::tuner {

class ResultFile {
public:
  /// The settings that the program was compiled with, from the earlier file.
  void setKernels(KernelSettings kernels) { kernels_ = std::move(kernels); }

  /// With several accuracy bins, the text includes the earlier bins.
  std::string text(const ProgramSpace &, const Summary &, const Effort &, int threads);

private:
  KernelSettings kernels_;
  std::vector<std::string> comments_; // of the bins so far
  std::vector<Provenance::Bin> bins_;
};

} // namespace pbc::tuner
