// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Configurations, times and machines in words that can be read without knowing the tuner.
//
//   inWords(space, configuration)
//       ->  {"Sort: InsertionSort below 341, QuickSort below 65536, otherwise MergeSort",
//            "Sort.sequential_cutoff: 4096"}
#pragma once
#include "tuner/base/text.h"
#include "tuner/space/configuration.h"
#include "tuner/strategy/bans.h"

namespace pbc::tuner {

std::string inWords(const Site &, const Selector &);
/// One line for each site, and for each tunable that is not at its default.
std::vector<std::string> inWords(const ProgramSpace &, const Configuration &);
/// "Sort with QuickSort at n >= 4096 gives a different result from the default (difference 0.5)"
std::string inWords(const Fault &);
/// Why it failed, and if it failed only together with other choices.
std::string reasonInWords(const Fault &);
/// At most `letters` letters of the text; the last one is an ellipsis if some are left out.
std::string shortened(const std::string &, std::size_t letters);
/// "Intel(R) Xeon(R) Processor, 2 CPUs": times are comparable on machines with the same name.
std::string machineName();
/// The text up to the end of its first line.
std::string firstLine(const std::string &);

} // namespace pbc::tuner
