// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The accuracy of a program of variable accuracy: it is first brought to its target, and verified at the end.
//
//   reachAtSizes(worker, space, {n 64, n 128, ...}, start, patience, mayGoOn, note)
//       ->  rounds 3 below 128, 5 below 256, otherwise 6: each size meets the target
//   verify(program, options, space, full size, best, patience)
//       ->  0.97, the worst of 3 inputs that were not used before
//
// Invariant: inputs that verify() uses were never used for tuning, unless the user gave the inputs.
#pragma once
#include "tuner/evaluate/worker_evaluator.h"
#include "tuner/strategy/reach.h"

namespace pbc::tuner {

struct ReachedSizes {
  Configuration configuration;
  std::vector<Sizes> met; // the sizes at which it meets the target
};

ReachedSizes reachAtSizes(Worker &, const ProgramSpace &, const std::vector<Sizes> &,
                          const Configuration &start, double patience, const std::function<bool()> &mayGoOn,
                          const std::function<void(const std::string &)> &note);

struct Verified {
  double accuracy = 0; // the worst of all inputs
  int inputs = 0;
  bool otherInputs = true; // whether they are other inputs than those of the tuning
  bool met = false;
  bool mended = false; // more accurate values were chosen, because the target was missed on the first inputs
  Configuration configuration;
};

inline constexpr int kVerifiedInputs = 3;

struct VerifiedStep {
  Step step;
  int inputs = kVerifiedInputs;
};
/// Returns these steps, which grow, and before each except the first the odd size just below it: values for
/// the previous power of two were tested only at that power, and this is the last size to which they apply.
std::vector<VerifiedStep> verifiedSteps(const std::string &program, const WorkerOptions &,
                                        const ProgramSpace &, const std::vector<Step> &, double patience);

/// If the target is missed, the configuration is made more accurate on these inputs and verified on others.
Verified verify(const std::string &program, const WorkerOptions &, const ProgramSpace &, const Sizes &,
                long n, const Configuration &, double patience, int inputs = kVerifiedInputs);

/// A configuration at several steps, and at the odd sizes between them.
struct VerifiedSizes {
  Configuration configuration;     // made more accurate where necessary
  std::optional<Verified> largest; // at the last step; empty: the user has stopped the verification
  std::vector<std::string> missed; // sizes
  bool mended = false;
};
/// `unmet`: sizes at which no configuration has met the target; they are the first in `missed`. Sizes below
/// the first step are verified where the configuration takes another alternative.
VerifiedSizes verifyAll(const std::string &program, const WorkerOptions &, const ProgramSpace &,
                        const std::vector<Step> &, const Configuration &,
                        const std::vector<std::string> &unmet, double patience);

} // namespace pbc::tuner
