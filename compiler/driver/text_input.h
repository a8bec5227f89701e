// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that commands about kernels read: kernels, scripts, adaptors.
//
//   loadText(sources, "mm.kernel", "pbc opt")     // "-": standard input
//
// Throws Refusal, whose text begins with the command's name.
#pragma once
#include "compiler/source/source.h"

namespace pbc::driver {

source::FileId loadText(source::SourceManager &, const std::string &path, const std::string &command);

} // namespace pbc::driver
