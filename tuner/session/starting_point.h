// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tuning takes over from the file of an earlier one.
//
//   StartingPoint start = startOfTuning(context, space);    // a new tuning: what the tuner must not change
//   StartingPoint start = startOfRefresh(context, space);   // --refresh: the stored configuration and its plan
//   if (start.plan.isNothing()) ...                         // a refresh that has nothing to do
//
// Invariant: `configuration` is valid for the space, whatever the file contains.
#pragma once
#include "tuner/evaluate/worker.h"
#include "tuner/session/context.h"
#include "tuner/space/kernel_settings.h"
#include "tuner/strategy/objective.h"
#include "tuner/travel/refresh_plan.h"

#include <optional>
#include <vector>

namespace pbc::tuner {

struct StartingPoint {
  Configuration byDefault;            // the configuration that the program has without any file
  Configuration configuration;        // includes the decisions made so far
  std::vector<Configuration> earlier; // the configuration in the file, if any; not with --refresh
  KernelSettings kernels;             // the settings that the program was compiled with
  Sizes sizes;                        // the sizes asked for; with --refresh, otherwise those that were tuned
  std::optional<Objective> objective; // the stored one, if the user asks for no other
  RefreshPlan plan;                   // with --refresh
  bool startsAnew = false;            // with --refresh: the stored configuration fails (mended_start.h)
};

/// Takes from an earlier file the values that the tuner must not change. With accuracy bins it takes all values,
/// because they are nearer to the targets. Throws TunerError if the file is another program's.
StartingPoint startOfTuning(const SessionContext &, const ProgramSpace &);

/// Starts from the stored configuration, and says what has to be tuned again. Throws TunerError if there is none.
StartingPoint startOfRefresh(const SessionContext &, const ProgramSpace &);

} // namespace pbc::tuner
