// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What ends a compilation, beside messages with places (source/diagnostics.h).
//
//   throw Refusal(fmt::format("pbc: error: cannot read {}: {}\n", path, why));   // the user's to mend
//   throw InternalError("plans: step 3 waits for itself");                       // ours
//
// Both are caught once, in pipeline.cpp, and give status 1. An exception of any other type is a fault of pbc, too.
#pragma once
#include <stdexcept>
#include <string>

namespace pbc::driver {

/// The text is complete: it begins with "pbc: error: " and ends with its line.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An invariant of ours that does not hold: never the user's fault.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// On standard error, control characters as escapes.
void say(const std::string &text);

} // namespace pbc::driver
