// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Exceptions that end a compilation; errors with a place in a file are messages instead
// (source/diagnostics.h).
//
//   throw Refusal(fmt::format("pbc: error: cannot read {}: {}\n", path, why));   // the user can correct it
//   throw InternalError("plans: step 3 waits for itself");                       // a defect of pbc
//
// Both are caught once, in pipeline.cpp, and give status 1. An exception of any other type is a defect of
// pbc, too.
#pragma once
#include <stdexcept>
#include <string>

namespace pbc::driver {

/// The text is complete: it begins with "pbc: error: " and ends with its line.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A violated invariant of the compiler, which is never the user's fault.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// Prints on standard error, with control characters as escapes.
void say(const std::string &text);

} // namespace pbc::driver
