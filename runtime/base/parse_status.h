// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles a command line that CLI11 has not accepted, or that asks for help.
//
//   try { app.parse(argc, argv); } catch (const CLI::ParseError &e) { return parseStatus(app, e); }
//
// CLI11 has its own exit statuses, but here every error of a user gives status 1. Words of the command line
// are printed through visible() (visible.h).
#pragma once
#include "runtime/base/visible.h"
#include <cstdio>
#include <sstream>

namespace pb::base {

/// Prints the help or the message; returns 0 or 1. `App` and `Error` are CLI11's, which the runtime does not use.
template <class App, class Error>
int parseStatus(const App &app, const Error &error) {
  std::ostringstream out, messages;
  const int status = app.exit(error, out, messages);
  std::fputs(out.str().c_str(), stdout);
  std::fputs(visible(messages.str()).c_str(), stderr);
  return status == 0 ? 0 : 1;
}

} // namespace pb::base
