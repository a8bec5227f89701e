// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Examines the files that a command line of ld.lld names, before lld opens them.
//
//   {"-L.", "-lf"}, libf.a is a pipe         =>  "./libf.a is not a file that can be linked"
//   {"@words"}, words contains "-lf -lm"     =>  the command line becomes {"-lf", "-lm"}
//   {"script.ld"} with INPUT(pipe)           =>  "pipe, named by script.ld, is not a file that can be linked"
//
// lld reads its inputs to their end: a device may have no end, and opening a pipe would wait for a writer. Only used
// inside this folder.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace pbc::build {

/// Replaces each `@FILE` by the words in the file, as lld would. Returns why a file cannot be read, if so.
std::optional<std::string> expandWordFiles(std::vector<std::string> &words);

/// Why lld could not read some input of the command line to its end; nothing if there is no such input. Inputs that
/// do not exist are for lld to report. `output` is not examined.
std::optional<std::string> unreadableInput(const std::vector<std::string> &line, const std::string &output);

} // namespace pbc::build
