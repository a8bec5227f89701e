// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Looks for faster kernels of a program: one option at a time is given another value, starting from the best
// so far.
//
//   searchKernels(variants, {}, size, {.deadline = 60}, observer)
//       ->  {Product.product.rows = 8}, 12.1 ms instead of 13.0 ms, 40 variants, faults
//
// Kernels that take most of the time come first: how much slower the program is without their vectors says
// which. Of an option's values those that are not clearly slower run a race against the best so far, turn by
// turn (strategy/race.h); who wins runs again, alone, with new processes each time, and must win most of
// these races, by 2 % and also where nothing disturbed the two: with so many candidates, some are lucky.
// Equal within noise means that the best so far stays, and
// that at the end a setting is dropped. The search ends so early that the last comparison, of the best with the start,
// fits into the time, and what there is no time to compile is not tried. Source: own; coordinate descent over the options, as
// each has few values and they mostly do not depend on each other.
#pragma once
#include "tuner/kernels/variants.h"
#include "tuner/strategy/tester.h"

#include <functional>

namespace pbc::tuner {

struct KernelSearchSettings {
  double deadline = 60; // seconds of the variants' clock
};

struct KernelSearchResult {
  KernelSettings best;
  bool changed = false; // whether it is faster than the start
  bool raced = false;   // whether the last comparison, of the best with the start, was made
  double startSeconds = 0, bestSeconds = 0;
  int tried = 0;       // variants
  bool isDone = false; // no option is left to be tried
  std::vector<Fault> faults;
};

KernelSearchResult searchKernels(Variants &, const KernelSettings &start, const TestSize &,
                                 const KernelSearchSettings &, Observer &,
                                 const std::function<void(const std::string &)> &note);

} // namespace pbc::tuner
