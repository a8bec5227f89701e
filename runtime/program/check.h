// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --check: finds out whether all choices compute the same.
//
//   Sort: InsertionSort agrees (max difference 0)
//   Sort: BadSort disagrees (max difference 3 at B[4]: found 1, expected 4)
//
// Every alternative of every site is forced in turn, with everything else at its default, on the same inputs.
// Outputs of a transform with an accuracy target may differ: an alternative also agrees if it meets the
// target, or is as accurate as a default that misses it. Each run is a forked process with a time limit, so a
// crash or an endless loop gives one line and does not end the check. A rule that calls its own transform
// cannot run alone (nothing would end the recursion): when forcing it at every size recurses too deeply, it
// is forced at the largest size only, and the line says "from size N on".
#pragma once
#include "runtime/program/instance.h"

namespace pb::program {

struct CheckOptions {
  int threads = 1;
  double limit = 0; // seconds for one alternative; 0: 10 s plus 10 times the default's time
  unsigned long seed = 1;
};

/// Inputs must be what their structures say (structure.h). Prints one line each on standard output; returns the number of alternatives that fail or disagree. Throws
/// base::UserError when the default itself fails. The calling process must have no other threads.
int check(const Program &, const Instance &, const CheckOptions &);

} // namespace pb::program
