// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The quantities that a tuning minimises, and those that it measures for that.
//
//   chosenAims({.objective = "energy*time"}, space, "sort.cfg").metrics()   ->  {Time, Energy}
//   chosenAims({.front = "time,memory"}, space, "sort.cfg").metrics()       ->  {Time, Memory}
#pragma once
#include "tuner/session.h"
#include "tuner/space/program_space.h"
#include "tuner/strategy/objective.h"

#include <array>
#include <optional>
#include <vector>

namespace pbc::tuner {

struct Aims {
  Objective objective;                        // without a front
  std::optional<std::array<Metric, 2>> front; // the two metrics of a Pareto front

  std::vector<Metric> metrics() const;
};

/// The aims that the options name. Throws TunerError if there is no such metric, if the program cannot have a front,
/// or if the files of a front cannot be written.
Aims chosenAims(const TuneOptions &, const ProgramSpace &, const std::string &output);

} // namespace pbc::tuner
