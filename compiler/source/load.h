// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a source file, or says why it cannot be read.
//
//   std::string why;
//   if (const auto file = load(sources, "sort.pbcc", &why)) use *file;   // else "it is larger than 64 MiB"
#pragma once
#include "compiler/source/source.h"

namespace pbc::source {

/// Loads the file without its byte order mark. Returns nothing, with the reason in `why`, if the file cannot be
/// read, is larger than SourceManager::kLargestFile, or is a pipe that no process writes to.
std::optional<FileId> load(SourceManager &, const std::string &path, std::string *why);

} // namespace pbc::source
