// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Looks for faster kernels of a program: their scripts are edited, one thing at a time, starting from the best so far.
//
//   searchKernels(variants, {}, size, {.deadline = 60}, observer)
//       ->  {Product.product.script = "tasks(); registers(y, x; rows = 8)"}, 12.1 ms instead of 13.0 ms, 40 variants, faults
//
// Kernels that take most of the time come first; they are found by how much slower the program is without
// their vectors. Those edits about one thing (a step, or an argument of it) that are not clearly slower run a race against
// the best so far, in turns (strategy/race.h). The winner runs again, alone, with new processes each time. It must win most of
// these races, by 2 %, and also in the runs that nothing disturbed, because among so many candidates some are
// lucky. If two are equal within noise, the best so far stays, and at the end a setting that makes no
// difference is dropped. The search ends early enough for the last comparison, of the best with the start, and
// variants that there is no time to compile are not tried. Source: own; coordinate descent over what
// scripts say, because each thing has few values and they mostly do not depend on each other.
#pragma once
#include "tuner/kernels/screen.h"
#include "tuner/kernels/variants.h"
#include "tuner/strategy/tester.h"

#include <functional>
#include <map>
#include <set>

namespace pbc::tuner {

struct KernelSearchSettings {
  double deadline = 60; // seconds of the variants' clock
  int most = 0;         // variants to try; 0: as many as there is time for
  /// Scripts that are tried first, and kept if they win.
  std::vector<KernelOption> seeds = {};
  /// Kernels that are near their bound: nothing but their division into tasks is edited.
  std::set<std::string> done = {};
  /// For kernels, things about which they are edited first.
  std::map<std::string, std::vector<std::string>> first = {};
  /// What a model says of edits before they are made; null: nothing is known. It has to outlive the search.
  Advice *advice = nullptr;
};

struct KernelSearchResult {
  KernelSettings best;
  bool changed = false; // whether it is faster than the start
  bool raced = false;   // whether the last comparison, of the best with the start, was made
  double startSeconds = 0, bestSeconds = 0;
  int tried = 0;       // variants
  bool isDone = false; // no edit is left to be tried
  std::vector<Fault> faults;
  int leftOut = 0;         // edits, as a model predicted them to be slow
  double modelFactor = 1;  // between measured and predicted ratios, in the median
  bool isModelUsed = true; // to the end
};

KernelSearchResult searchKernels(Variants &, const KernelSettings &start, const TestSize &,
                                 const KernelSearchSettings &, Observer &,
                                 const std::function<void(const std::string &)> &note);

} // namespace pbc::tuner
