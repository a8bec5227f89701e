// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The frame of a command that prints a text: what goes wrong becomes a message and the status 1.
#pragma once
#include <functional>
#include <string>

namespace pbc::driver {

/// `command`: "pbc space".
int runCommand(const std::string &command, const std::function<std::string()> &make);

} // namespace pbc::driver
