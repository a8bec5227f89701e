// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tuning as one page: HTML with inline drawings, for a browser or to print.
//
//   writeAtomically("sort.tune.html", page(evidence));
//
// Nothing is loaded from anywhere, and there is no script. What it says is in tables; drawings repeat some of
// it.
//
// Invariant: below kLargestPage, however many choices and faults there are (then the least important are
// counted instead of listed); every name from outside is escaped; the same evidence gives the same page.
#pragma once
#include "tuner/report/evidence.h"

namespace pbc::tuner {

inline constexpr std::size_t kLargestPage = 500'000; // bytes

/// Where it is by default: beside the configuration.
std::string pagePath(const std::string &configuration);

std::string page(const Evidence &);

} // namespace pbc::tuner
