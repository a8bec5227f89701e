// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a tuning starts from: options with their defaults, and the files of earlier tunings.
//
//   budgetOf({.effort = "quick"})              ->  50 seconds
//   conditionsKey({.inputs = {"a.png"}}, space) ->  " /home/me/a.png:81920:1795329184"
//   earlierResult(space, "sort.cfg", progress) ->  the configuration that the earlier tuning wrote there
#pragma once
#include "tuner/evaluate/worker.h"
#include "tuner/report/progress.h"
#include "tuner/session.h"
#include "tuner/space/provenance.h"
#include "tuner/strategy/strategy.h"

namespace pbc::tuner {

/// Whether the text is a configuration of this program.
bool isFor(const ProgramSpace &, const std::string &text, const std::string &path);

/// The result that an earlier tuning of the same program wrote to this file, which is worth another race; a
/// file that pbc tune did not write is not read.
std::vector<Configuration> earlierResult(const ProgramSpace &, const std::string &path, Progress &);

/// In seconds. Including what cannot be cut short (an examination, the last runs of a race) quick takes less
/// than a minute.
double budgetOf(const TuneOptions &);

/// The strategy that the user named; if there is none, it follows from the budget. `budget` and the default's
/// `seconds` at the full size say how many points can be measured.
ChosenStrategy strategyFor(const TuneOptions &, double budget, double seconds);

/// The size variables at the largest size that was tuned then, if the program still has them.
Sizes largestSizes(const Provenance &, const ProgramSpace &);

/// What decides a time besides sizes and machine, for the journal: inputs, threads, and the accuracy bin.
std::string conditionsKey(const TuneOptions &, const ProgramSpace &);

} // namespace pbc::tuner
