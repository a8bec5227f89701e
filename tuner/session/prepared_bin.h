// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One accuracy bin, or the whole program, with everything that the search needs: a worker that has run the default,
// and the sizes at which candidates are tested.
//
//   const auto bin = prepareBin(context, start, focusOn(context, bins, 0, start), "sort.journal");
//   bin->steps   ->  {{n 64, 12 us}, {n 128, 30 us}, ... {n 20000, 9 ms}}
//
// Invariant: there is at least one step, and the worker was prepared for the last one, which has the full size. The
// object keeps its address, because the target refers to other members.
#pragma once
#include "tuner/accuracy_target.h"
#include "tuner/evaluate/steps.h"
#include "tuner/journal/journal.h"
#include "tuner/session/focus.h"

#include <memory>

namespace pbc::tuner {

struct PreparedBin {
  /// Opens the journal; the steps do not exist yet.
  PreparedBin(const SessionContext &, Focus, const std::string &journal);
  PreparedBin(const PreparedBin &) = delete;
  PreparedBin &operator=(const PreparedBin &) = delete;

  Focus focus;
  Journal journal;
  WorkerOptions workerOptions;
  Worker worker;
  Sizes full;
  std::vector<Step> steps;              // the steps that are worth measuring
  std::optional<AccuracyTarget> target; // if this bin has one
};

/// Throws TunerError if the journal cannot be opened, or if the default does not run at the full size.
std::unique_ptr<PreparedBin> prepareBin(const SessionContext &, const StartingPoint &, Focus,
                                        const std::string &journal);

} // namespace pbc::tuner
