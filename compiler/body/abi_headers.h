// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The headers of runtime/abi as text inside pbc: what `#include "pb/region.h"` finds, in rule bodies and in
// generated programs, on a machine that has neither this source tree nor an installed runtime.
//
//   abiHeaders() => { {"pb/program.h", "// What a generated..."}, {"pb/region.h", ...}, {"pb/task.h", ...} }
//
// The text is exactly that of the files (embed.cmake copies them at build time). Code that runs Clang in
// process maps the pairs into its in-memory file system below one directory and passes that directory with
// -I.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pbc::body {

const std::vector<std::pair<std::string, std::string>> &abiHeaders();

} // namespace pbc::body
