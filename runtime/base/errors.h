// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a generated program reports errors: one line, "PROGRAM: error: what, where, what to do".
//
//   throw UserError("a.npy: expected 2 dimensions, found 3");     // caught once, in pb_main
//   pb_fail("...")                                                // from rule bodies: ends the process
//
// Invariant: a UserError never leaves pb_main or pb::program::serve; pb_fail runs no destructors, because
// other workers may still be using what these would destroy. In a library pb_fail and similar functions throw a
// Failure instead, which goes up through all tasks to the call from outside, and nothing is printed.
#pragma once
#include "runtime/abi/program.h"
#include <stdexcept>
#include <string>

namespace pb::base {

/// An error that the user can correct. The text is complete except for the program's name.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Sets the name that is printed before messages; the pointer is kept.
void setProgramName(const char *name);
const char *programName();

/// Prints "PROGRAM: error: text" on standard error, with control characters as escapes (visible.h); the caller
/// indents every line after the first.
void printError(const std::string &text);

/// Prints a line that begins with its subject: "sort.cfg:3: warning: ...".
void printWarning(const std::string &text);

/// The reason why a child process ended, written to shared memory where its parent can read it.
struct FailureNote {
  enum Kind : int { None, Failed, RecursionTooDeep, OutOfMemory, Inaccurate };
  Kind kind = None;
  char text[512] = {};
};
/// From now on pb_fail and similar functions write here and print nothing. Used by the children of --check.
void noteFailuresIn(FailureNote *note);

/// What ends a call of a library.
struct Failure : std::runtime_error {
  Failure(FailureNote::Kind k, const char *text) : runtime_error(text), kind(k) {}
  FailureNote::Kind kind;
};
/// From now on this process is a library's: failures are thrown, and `say` gets what would be printed. It is called by
/// any thread; null: nothing is said.
void throwFailures(void (*say)(const std::string &text));

/// As pb_fail, where memory is short.
[[noreturn]] void failForMemory(const char *text);

} // namespace pb::base
