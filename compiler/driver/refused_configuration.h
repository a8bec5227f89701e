// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds out whether a finished program accepts the configuration that was built into it.
//
// The program reads the configuration at its start, so this runs the program: a second reader here could
// differ from it in some detail. A program for another processor cannot be run and is assumed to accept it. A library is
// opened in a child process, which makes a context.
#pragma once
#include <optional>
#include <string>

namespace pbc::driver {

/// The program's messages, if it refuses the configuration; `file` is the configuration's name in them.
std::optional<std::string> refusedConfiguration(const std::string &program, const std::string &file);
/// The same of a shared library.
std::optional<std::string> refusedByLibrary(const std::string &library, const std::string &file);

} // namespace pbc::driver
