// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Are the results right where no time is measured? Sizes that are odd, prime, tiny or next to a cut-off,
// values that are sorted, equal, negative or subnormal: the results are compared with the default's.
//
//   Examination examination(worker, space, steps);
//   examination.examine({a, b}, Depth::Thorough, mayGoOn)   ->  {nothing, Misfit{wrong result, "n=65"}}
//
// A failure counts when it happens again in a new process. An input counts only where the default itself
// gives numbers, and the same ones for inputs that differ by rounding: what is ill-conditioned, or not meant
// to be solved, tells nothing about a candidate. Values are changed only where they would be random: what
// files or a generator make is the user's word on what inputs are like. Invariant: no input of the tuning
// itself is used, unless the user gave it. Source: tuning-practice.md 4.
#pragma once
#include "tuner/evaluate/worker_evaluator.h"

#include <functional>

namespace pbc::tuner {

/// One input of the examination.
struct ExaminedInput {
  Sizes sizes;
  std::string values; // InputWishes
  bool operator==(const ExaminedInput &) const = default;
};

/// Tiny sizes and small ones with all kinds of values: a matter of milliseconds.
std::vector<ExaminedInput> quickInputs(const ProgramSpace &, const Sizes &full);

/// Beside the tested sizes, and those next to the cut-offs of these configurations, small ones first.
std::vector<ExaminedInput> thoroughInputs(const ProgramSpace &, const std::vector<Step> &,
                                          const std::vector<Configuration> &);

class Examination {
public:
  /// `worker` is used for nothing else.
  Examination(Worker worker, const ProgramSpace &, std::vector<Step>);

  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &, Depth,
                                             const std::function<bool()> &mayGoOn);
  /// How many inputs results were compared on; others are left out: the default itself is not to be trusted
  /// there.
  int inputs() const { return compared_; }

private:
  /// Nothing where the input does not count.
  std::optional<Prepared> prepare(const ExaminedInput &);
  std::optional<Misfit> look(const Configuration &, const ExaminedInput &, const Prepared &);

  Worker worker_;
  const ProgramSpace &space_;
  std::vector<Step> steps_;
  bool hasOwnValues_ = true;           // until the program says that they are the user's
  std::vector<ExaminedInput> telling_; // inputs that somebody failed on: they come first
  int compared_ = 0;
};

} // namespace pbc::tuner
