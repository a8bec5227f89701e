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
  std::vector<Sizes> met; // those at which it meets the target
};

ReachedSizes reachAtSizes(Worker &, const ProgramSpace &, const std::vector<Sizes> &,
                          const Configuration &start, double patience, const std::function<bool()> &mayGoOn,
                          const std::function<void(const std::string &)> &note);

struct Verified {
  double accuracy = 0; // the worst
  int inputs = 0;
  bool otherInputs = true; // than those of the tuning
  bool met = false;
  bool mended = false; // by more exact values, after the first inputs missed the target
  Configuration configuration;
};

inline constexpr int kVerifiedInputs = 3;

struct VerifiedStep {
  Step step;
  int inputs = kVerifiedInputs;
};
/// These steps, which grow, and before each but the first the odd size below it: values for the power of two
/// before were tested there only, and this is the last size that they hold for.
std::vector<VerifiedStep> verifiedSteps(const std::string &program, const WorkerOptions &,
                                        const ProgramSpace &, const std::vector<Step> &, double patience);

/// Where the target is missed, the configuration is made more exact on these inputs and verified on others.
Verified verify(const std::string &program, const WorkerOptions &, const ProgramSpace &, const Sizes &,
                long n, const Configuration &, double patience, int inputs = kVerifiedInputs);

/// A configuration at several steps, and at the odd sizes between them.
struct VerifiedSizes {
  Configuration configuration;     // made more exact where it had to be
  std::optional<Verified> largest; // at the last step; empty: the user has stopped it before
  std::vector<std::string> missed; // sizes
  bool mended = false;
};
/// `unmet`: sizes at which nothing has met the target, the first ones that are missed. Below the first step
/// it is looked at where the configuration takes another alternative.
VerifiedSizes verifyAll(const std::string &program, const WorkerOptions &, const ProgramSpace &,
                        const std::vector<Step> &, const Configuration &,
                        const std::vector<std::string> &unmet, double patience);

} // namespace pbc::tuner
