// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a configuration decides and why, on a terminal: one line for each choice, or all that is known of one.
//
//   Sort: InsertionSort below 341, otherwise MergeSort
//     winner       MergeSort, 1.2 ms at n=65536 (14 runs)
//     runner-up    QuickSort, 1.57 ms (5 runs)
//     gap          1.31 times as slow; 95 % interval 1.25 to 1.38
//     by size      n=64     InsertionSort  0.4 us   MergeSort 2.10 times as slow (1.90 to 2.31)
//     ...
//
// Numbers come from analysis.h; nothing is computed here.
#pragma once
#include "tuner/report/evidence.h"

namespace pbc::tuner {

/// All decisions, one line each.
std::string explainAll(const Evidence &);
/// The decisions that `name` means: "Sort", "Sort.block", "block". Throws TunerError, with a list of the
/// decisions, for a name that means none.
std::string explainOne(const Evidence &, const std::string &name);
/// The same as JSON; if `name` is empty, all decisions.
std::string explainAsJson(const Evidence &, const std::string &name);

/// "1.31 times as slow (1.25 to 1.38)", "equal within noise (0.98 to 1.05 times)", "more than 2 times as
/// slow".
std::string gapInWords(const Ratio &, const Objective &);
/// The same for a comparison: says also if other choices differ, too.
std::string gapInWords(const Comparison &, const Objective &);
/// "1.31 times as slow", "3.00 times as fast" for a ratio of 0.33.
std::string timesInWords(double ratio, const Objective &);
/// The name of the class that came next, "Merge (the default)".
std::string nextInWords(const Part &, const DecisionResult &, const Comparison &);
/// "when it was tuned: 1.32 ms, the default 10.4 ms"; "" if the configuration does not say it.
std::string whenTunedInWords(const Part &);
/// Whether the decision deserves a line: a choice, or a tunable that is not at its default or was measured at
/// other values. A tunable with equal values for all sizes gets one line.
bool isWorthALine(const Part &, std::size_t decision);

} // namespace pbc::tuner
