// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// --check: do all choices compute the same?
//
//   Sort: InsertionSort agrees (max difference 0)
//   Sort: BadSort disagrees (max difference 3 at B[4]: found 1, expected 4)
//
// Every alternative of every site is forced in turn, everything else at its default, on the same inputs.
// Outputs of a transform with an accuracy target need not be the same: what differs agrees if it meets the
// target, or is as exact as a default that misses it. Each run is a forked process with a time limit, so a
// crash or an endless loop is one line and not the end. A rule that calls its own transform cannot stand
// alone (nothing would end the recursion): when forcing it at every size recurses too deeply, it is forced at
// the largest size only, and the line says "from size N on".
#pragma once
#include "runtime/program/instance.h"

namespace pb::program {

struct CheckOptions {
  int threads = 1;
  double limit = 0; // seconds for one alternative; 0: 10 s and 10 times the default's
  unsigned long seed = 1;
};

/// Prints one line each on standard output; the number of alternatives that fail or disagree. Throws
/// base::UserError when the default itself fails. The calling process has no other threads.
int check(const Program &, const Instance &, const CheckOptions &);

} // namespace pb::program
