// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loop tree of a scheduled kernel, as the emitter and `--emit=loops` use it.
//
//   kernelNest(Smooth.0).nest   for c0 = low0; c0 < high0 [vector] ...
//
// Loops over sets of many pieces have as many cases. If there are too many, the schedule is replaced by one in which each loop
// runs over all pieces and tests each point; `note` says so. Items of a device keep their points. If that takes too long, too, which
// scripts of users can bring about, there are no loops: NoLoops.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/loop/tree.h"
#include <map>
#include <stdexcept>

namespace pbc::emit {

struct KernelNest {
  kernel::Scheduled kernel; // with the schedule from which the nest was made
  loop::Nest nest;
  std::string note; // "", or one sentence
  /// By buffer: the cells of dimension 0 of a matrix of which these are few and always as many, as the colours of a picture.
  std::map<int, long> shortRows = {};
};

/// A kernel's loops are to take isl so many operations at most: fractions of a second; the project's own programs need less.
inline constexpr unsigned long kNestBudget = 1'000'000;

/// And those that run over all pieces so many: seconds.
inline constexpr unsigned long kPlainBudget = 20'000'000;

/// The loops of a kernel have more cases than isl can tell apart within the budgets; what() is a sentence that says so.
struct NoLoops : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// `forDevice`: the bodies that were not lifted are called in their version for devices.
KernelNest kernelNest(const kernel::Scheduled &asked, bool forDevice = false,
                      unsigned long budget = kNestBudget, unsigned long plainBudget = kPlainBudget);

/// What --emit=loops prints: the tree of the schedule, what lowering makes of it for the processor where rows are
/// contiguous, and what it leaves.
std::string loopsText(const kernel::Scheduled &);

} // namespace pbc::emit
