// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Manual pages of commands, in the macros of man(7).
//
//   manualPage(describeCompiling(), "pbc")             .TH PBC 1 ... .SH NAME ... .SH OPTIONS ... .SH COMMANDS
//   manualPage(describe(tune), "finds the ...")        .TH PBC-TUNE 1 ...
//
// Invariant: any text of an option is text of the page; nothing of it is taken for a macro.
#pragma once
#include "runtime/base/command_description.h"
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pbc::driver {

/// `commands`: names and summaries of further commands, which the page of `pbc` lists.
std::string manualPage(const pb::base::CommandDescription &, std::string_view summary,
                       const std::vector<std::pair<std::string, std::string>> &commands = {});

} // namespace pbc::driver
