// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out which choices decide whether a transform runs at all: where it does not run, its values need not
// be searched.
//
//   Convolution chooses between Direct, which calls Convolve2D, and TwoPasses, which calls Rows and Columns
//   noteCalls(space, {{"Convolution", {Convolve2D, Rows, Columns}, 0, {{Convolve2D}, {Rows, Columns}}}})
//   ->  the tunables and sites of Convolve2D are reachedBy {Convolution.choice: Direct}
//
// Invariant: what runs for some configuration is reached with it (Configuration::reaches); the reverse need
// not hold, because sizes are not considered. A transform that cannot be reached from the main one stays
// open, because nothing is known about it.
#pragma once
#include "tuner/space/program_space.h"

#include <set>

namespace pbc::tuner {

/// What one transform calls, by names or by families of names ("Solve" for "Solve<2>").
struct Calls {
  std::string transform;
  std::set<std::string> all;
  int site = -1;                              // its choice; -1: it has none
  std::vector<std::set<std::string>> byUse{}; // what the rules of each alternative call
};

/// Sets `reachedBy` of all sites and tunables.
void noteCalls(ProgramSpace &, const std::vector<Calls> &);

/// "Solve" of "Solve<2>".
std::string family(const std::string &transform);

} // namespace pbc::tuner
