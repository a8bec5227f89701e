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
/// Whether the decision deserves a line: a choice, or a tunable that is not at its default or was measured at
/// other values. A tunable with equal values for all sizes gets one line.
bool isWorthALine(const Part &, std::size_t decision);

} // namespace pbc::tuner
