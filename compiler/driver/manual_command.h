// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands that say what the other ones are: `pbc man [COMMAND]` and `pbc completion SHELL`. What they print comes from the
// tables of which --help is made.
#pragma once

namespace pbc::driver {

/// Prints the page of a command in the macros of man(7); `pbc man tune | man -l -` shows it.
int manCommand(int argc, char **argv);
/// Prints a script; `eval "$(pbc completion bash)"` runs it.
int completionCommand(int argc, char **argv);

} // namespace pbc::driver
