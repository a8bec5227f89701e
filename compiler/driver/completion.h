// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scripts by which shells complete command lines of `pbc`: commands, options, and files for all else.
//
//   completionScript("bash", described)      what `eval "$(pbc completion bash)"` runs
//
// A further shell is its function and one line of the table in completion.cpp.
#pragma once
#include "runtime/base/command_description.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::driver {

struct DescribedCommand {
  std::string name, summary;
  pb::base::CommandDescription description;
};

struct DescribedCommands {
  pb::base::CommandDescription compiling; // `pbc FILE`
  std::vector<DescribedCommand> commands;
};

std::vector<std::string> shells();
/// Nothing for a shell that is not one of shells().
std::optional<std::string> completionScript(std::string_view shell, const DescribedCommands &);

} // namespace pbc::driver
