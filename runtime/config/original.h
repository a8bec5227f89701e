// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration format of the original compiler, for those names that still exist.
//
//   # free text
//   Solve_omega = 1.35                       # [Solve] omega = 1.35
//   Solve_i2_w = 7                           # [Solve] w, element 2
//   Solve_tmpl_1_rounds__4 = 5               # ["Solve<1>"] rounds, for sizes from 2^4 to 2^5 - 1
//   Solve_forenough_iterations_0__3 = 8      # [Solve] for_enough_0, for sizes 8 to 15
//   worker_threads = 2                       # threads = 2
//   sequentialcutoff = 64                    # sequential_cutoff of every transform
//
// Choices (`Solve_0_lvl1_rule`) are numbers whose meaning only the program knew that wrote them: these and
// every other unknown name give a warning and change nothing. Lines that are not of the form `name = value`
// are ignored. Source: language reference 3.2, 3.3.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/config/entry.h"
#include <string>
#include <vector>

namespace pb::config {

/// Whether the text is in this format: it has no table, and has a line `name = number` with a name that only
/// this format uses.
bool isOriginal(const std::string &text);

/// Like apply(), which calls it for such files. If `warnings` is not null, it gets a line for each unknown
/// name; `entries` gets the state of each line.
std::vector<std::string> applyOriginal(const Program &, const std::string &text, const std::string &where,
                                       int *threads, std::vector<std::string> *warnings,
                                       std::vector<Entry> *entries = nullptr);

} // namespace pb::config
