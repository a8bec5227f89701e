// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks whether results are right where no time is measured: at sizes that are odd, prime, tiny or next to a
// cut-off, and with values that are sorted, equal, negative or subnormal. The results are compared with the
// default's.
//
//   Examination examination(worker, space, steps);
//   examination.examine({a, b}, Depth::Thorough, left)   ->  {nothing, Misfit{wrong result, "n=65"}}
//
// A failure counts if it happens again in a new process. An input counts only if the default itself gives
// numbers, and the same ones for inputs that differ by rounding: ill-conditioned problems, or problems that
// are not meant to be solved, say nothing about a candidate. Values are changed only where they would be
// random: inputs from files or a generator are what the user expects. Invariant: no input of the tuning
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

/// Tiny sizes, and small ones with all kinds of values: takes milliseconds.
std::vector<ExaminedInput> quickInputs(const ProgramSpace &, const Sizes &full);

/// Sizes beside the tested ones, and next to the cut-offs of these configurations, small ones first.
std::vector<ExaminedInput> thoroughInputs(const ProgramSpace &, const std::vector<Step> &,
                                          const std::vector<Configuration> &);

class Examination {
public:
  /// `worker` must not be used for anything else.
  Examination(Worker worker, const ProgramSpace &, std::vector<Step>);

  /// `left` gives the seconds that are left. Inputs that would take longer are left out.
  std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &, Depth,
                                             const std::function<double()> &left);
  /// On how many inputs results were compared. Inputs on which the default itself is not reliable are left
  /// out.
  int inputs() const { return compared_; }

private:
  /// Nothing if the input does not count.
  std::optional<Prepared> prepare(const ExaminedInput &);
  /// About how many seconds the default takes there at most.
  double secondsAt(const ExaminedInput &) const;
  std::optional<Misfit> look(const Configuration &, const ExaminedInput &, const Prepared &);

  Worker worker_;
  const ProgramSpace &space_;
  std::vector<Step> steps_;
  bool hasOwnValues_ = true;           // until the program says that the values are the user's
  std::vector<ExaminedInput> telling_; // inputs on which some candidate failed; they are tried first
  int compared_ = 0;
};

} // namespace pbc::tuner
