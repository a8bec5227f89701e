// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A finished program in the cache: the same text with the same options is not compiled twice.
//
//   if (mayBeCached(options, text))
//     if (const auto bytes = cache.get(programKey(options, text)))
//       writeExecutable(options.output, *bytes);
//
// Invariant: nothing under the program's name is ever half written.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/driver/options.h"
#include "compiler/source/source.h"

namespace pbc::driver {

/// Whether the text and the options say everything that decides the program: raw blocks may include files,
/// and with a configuration, an --info file or kept objects more than the program is made.
bool mayBeCached(const Options &, const source::MappedText &);
build::Cache::Key programKey(const Options &, const source::MappedText &);

/// To a temporary beside the target, then under its name. False if it cannot be written.
bool writeExecutable(const std::string &path, const std::string &bytes);

} // namespace pbc::driver
