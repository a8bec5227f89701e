// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tuning as one page: HTML with inline drawings, for a browser or to print.
//
//   writeAtomically("sort.tune.html", page(evidence));
//
// The page loads nothing and has no script. All information is in tables; drawings repeat some of it.
//
// Invariant: the page is smaller than kLargestPage, however many choices and faults there are (the least
// important ones are then counted instead of listed); every name from outside is escaped; the same evidence
// gives the same page.
#pragma once
#include "tuner/report/evidence.h"

namespace pbc::tuner {

inline constexpr std::size_t kLargestPage = 500'000; // bytes

/// The default path: beside the configuration.
std::string pagePath(const std::string &configuration);

std::string page(const Evidence &);

} // namespace pbc::tuner
