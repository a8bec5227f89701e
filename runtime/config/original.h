// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The configuration format of the original compiler, for what still exists under its names.
//
//   # free text
//   Solve_omega = 1.35                       # [Solve] omega = 1.35
//   Solve_i2_w = 7                           # [Solve] w, element 2
//   Solve_tmpl_1_rounds__4 = 5               # ["Solve<1>"] rounds, for sizes from 2^4 to 2^5 - 1
//   Solve_forenough_iterations_0__3 = 8      # [Solve] for_enough_0, for sizes 8 to 15
//   worker_threads = 2                       # threads = 2
//   sequentialcutoff = 64                    # sequential_cutoff of every transform
//
// Choices (`Solve_0_lvl1_rule`) are numbers that only the program knew that wrote them: they, and every other
// unknown name, are warned of and left alone. Lines that are no `name = value` are ignored.
// Source: language reference 3.2, 3.3.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/config/entry.h"
#include <string>
#include <vector>

namespace pb::config {

/// Whether the text is such a file: no table, and a `name = number` line with a name that only that format
/// has.
bool isOriginal(const std::string &text);

/// As apply(), which calls it for such files. `warnings`, if not null, gets a line for each unknown name;
/// `entries` what became of each line.
std::vector<std::string> applyOriginal(const Program &, const std::string &text, const std::string &where,
                                       int *threads, std::vector<std::string> *warnings,
                                       std::vector<Entry> *entries = nullptr);

} // namespace pb::config
