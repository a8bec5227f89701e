// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is tuned at a time: one accuracy bin, or the whole program if it has none.
//
//   Focus focus = focusOn(context, {"Solve<0>", "Solve<1>"}, 1, start);
//   focus.space.sites[0].isFixed   ->  true: the first bin has decided it
//
// Bins are tuned one after the other. They share the transforms that they call; the first bin decides those.
// Invariant: the configuration that the search starts from is the space's initial one (Configuration::defaults).
#pragma once
#include "tuner/session/starting_point.h"
#include "tuner/session/time_budget.h"

#include <string>
#include <vector>

namespace pbc::tuner {

struct Focus {
  ProgramSpace space;
  TimeBudget time;
  bool hasStart = false; // it starts from another configuration than the program's default
};

/// The bin with this index; its time begins now.
Focus focusOn(const SessionContext &, const std::vector<std::string> &bins, std::size_t bin,
              const StartingPoint &);

/// Makes this configuration the initial one.
void startFrom(ProgramSpace &, const Configuration &);

/// The open decisions of the space at their values in `byDefault`; fixed ones stay as they are stored.
Configuration openByDefault(const ProgramSpace &, const Configuration &byDefault);

} // namespace pbc::tuner
