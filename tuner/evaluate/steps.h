// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sizes at which candidates are tested: from small to the full one, doubling.
//
//   growingSizes({w 1024, h 768, KW 7})  ->  {w 64 h 48 KW 7}, {w 128 h 96 KW 7}, ... {w 1024 h 768 KW 7}
//   prepareSteps(...)   the same, prepared once: the n that selectors see, and the default's time;
//                       sizes that take less than 20 microseconds are left out, because noise dominates there
//   calibrate(...)      the full size, if the user gave none: such that the default takes 0.05 to 1 s
//
// Invariant: sizes grow, the last is the full one; a variable below 16 (a kernel's width) keeps its value.
// Source: petabricks-hetero 7.2, requirement 80.
#pragma once
#include "tuner/evaluate/worker_evaluator.h"

#include <functional>

namespace pbc::tuner {

/// The sizes that a user asks for.
struct SizeWishes {
  long n = 0; // of all variables that are not small constants; 0: not given
  Sizes sizes;
  bool fromFiles = false;
  double longest = 1; // seconds of a run of the default at a size that nobody has said
};

/// The full size: given by the user, taken from the input files, or calibrated. Throws TunerError.
Sizes fullSizes(Worker &, const ProgramSpace &, const SizeWishes &, double patience);

/// The program's absolute path. Throws TunerError if there is no such program.
std::string existingProgram(const std::string &name);

/// Reads the output of PROG --info; `name` is the name that the user gave. `threads`: fixed by the user; 0:
/// they are a decision. Throws TunerError.
ProgramSpace describeProgram(const std::string &program, const std::string &name, const std::string &main,
                             int threads = 0);

std::vector<Sizes> growingSizes(const Sizes &full, const std::vector<std::string> &params);
/// Half of `first`, a quarter, ... while all variables have at least 16 or keep their value.
std::vector<Sizes> shrinkingSizes(const Sizes &first, const std::vector<std::string> &params);

/// The largest odd size below; params and variables below 16 keep their values.
Sizes oddBelow(const Sizes &, const std::vector<std::string> &params);

struct PreparedSteps {
  std::vector<Step> steps, tooQuick;
};

/// `note` gets a line about each size that had to be left out. Throws TunerError if the full size fails, or
/// the user has stopped the preparation.
PreparedSteps prepareSteps(Worker &, const std::vector<Sizes> &, double patience,
                           const std::function<void(const std::string &)> &note);

/// Starts at 64 at most. Variables in `fixed` and params keep their values. `longest`: seconds that a run of the
/// default may take.
Sizes calibrate(Worker &, const ProgramSpace &, Sizes start, const Sizes &fixed, double patience,
                double longest = 1);

/// The number of elements of all matrices, estimated from the extents as written: not too low for extents
/// like "w-KW+1".
double estimatedElements(const ProgramSpace &, const Sizes &);

} // namespace pbc::tuner
