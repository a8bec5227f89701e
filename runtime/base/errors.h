// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a generated program speaks of what went wrong: one line, "PROGRAM: error: what, where, what to do".
//
//   throw UserError("a.npy: expected 2 dimensions, found 3");             // caught once, in pb_main
//   pb_fail("...")                                                        // from rule bodies: ends the
//   process
//
// Invariant: a UserError never leaves pb_main or pb::program::serve; pb_fail runs no destructors, because
// other workers may still be using what these would destroy.
#pragma once
#include "runtime/abi/program.h"
#include <stdexcept>
#include <string>

namespace pb::base {

/// Something the user can put right. The text is complete but for the program's name.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The name that stands before messages; kept by pointer.
void setProgramName(const char *name);
const char *programName();

/// Prints "PROGRAM: error: text" on standard error, control characters as escapes (visible.h); every line after
/// the first is indented by the caller.
void printError(const std::string &text);

/// Prints a line that begins with what it speaks of: "sort.cfg:3: warning: ...".
void printWarning(const std::string &text);

/// What ended a child process, written where its parent can read it (memory that both share).
struct FailureNote {
  enum Kind : int { None, Failed, RecursionTooDeep };
  Kind kind = None;
  char text[512] = {};
};
/// From now on pb_fail and its kin write here and print nothing. For the children of --check.
void noteFailuresIn(FailureNote *note);

} // namespace pb::base
