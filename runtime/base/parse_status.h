// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a command does when CLI11 has not accepted its command line, or has been asked for help.
//
//   try { app.parse(argc, argv); } catch (const CLI::ParseError &e) { return parseStatus(app, e); }
//
// CLI11 has statuses of its own, but every error of a user gives status 1 here; and words of the command line
// are shown as visible.h says.
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
