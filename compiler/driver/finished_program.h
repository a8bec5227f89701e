// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finished programs in the cache: the same text with the same options is not compiled twice.
//
//   if (mayBeCached(options, text))
//     if (const auto bytes = cache.get(programKey(options, text)))
//       writeExecutable(options.output, *bytes);
//
// Invariant: the file with the program's name is never half written.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/driver/options.h"
#include "compiler/source/source.h"

namespace pbc::driver {

/// Whether the text and the options alone decide the program. They do not if raw blocks may include files,
/// and with a configuration, an --info file or kept objects more files than the program are read or written.
bool mayBeCached(const Options &, const source::MappedText &);
build::Cache::Key programKey(const Options &, const source::MappedText &);

/// Writes a temporary file beside the target, then renames it. False if it cannot be written.
bool writeExecutable(const std::string &path, const std::string &bytes);

} // namespace pbc::driver
