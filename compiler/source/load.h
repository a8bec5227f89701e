// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reading a source file, with the reason where that cannot be done.
//
//   std::string why;
//   if (const auto file = load(sources, "sort.pbcc", &why)) use *file;   // else "it is larger than 64 MiB"
#pragma once
#include "compiler/source/source.h"

namespace pbc::source {

/// The file without its byte order mark. Nothing, with the reason, if it cannot be read, is larger than
/// SourceManager::kLargestFile, or is a pipe that no process writes to.
std::optional<FileId> load(SourceManager &, const std::string &path, std::string *why);

} // namespace pbc::source
