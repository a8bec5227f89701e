// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands of `pbc`, in the order in which man pages and the completion of shells list them.
//
//   for (const Command &c : commands())
//     if (c.name == "tune") return c.run(argc, argv);       // argv[0] is "tune"
//   describe(commands()[0]).options                         // of its --help, as data
//
// A further command is its own files and one line of the table in commands.cpp. Compiling has no name of its own: it is
// what `pbc` does where the first word is none of these.
#pragma once
#include "runtime/base/command_description.h"
#include <span>
#include <string_view>

namespace pbc::driver {

struct Command {
  std::string_view name;
  std::string_view summary; // what it does, without a full stop
  int (*run)(int argc, char **argv);
};

std::span<const Command> commands();

/// Compiles a program: the options of `pbc FILE`.
int compileCommand(int argc, char **argv);

pb::base::CommandDescription describe(const Command &);
pb::base::CommandDescription describeCompiling();

} // namespace pbc::driver
