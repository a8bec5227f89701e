// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A finished program in the cache: the same text with the same options is not compiled twice.
//
//   if (mayBeCached(options, text))
//     if (const auto entry = cache.get(programKey(options, text)))
//       if (const auto bytes = programOf(*entry))
//         write *bytes;
//
// The key is made of the text, the options and the environment. An entry has the contents of the files that took
// part besides: headers of the system, libraries, the runtime.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/build/file_states.h"
#include "compiler/driver/options.h"
#include "compiler/source/source.h"

namespace pbc::driver {

/// Whether the text and the options say everything that decides the program: raw blocks may include files,
/// and with a configuration, an --info file or kept objects more than the program is made.
bool mayBeCached(const Options &, const source::MappedText &);
build::Cache::Key programKey(const Options &, const source::MappedText &);

/// `filesRead`: by the compiler and the linker since `begin`. Nothing, if one of them was changed meanwhile.
std::optional<std::string> programEntry(const std::string &bytes, const std::vector<std::string> &filesRead,
                                        build::FileStates::Time begin);
/// Nothing, if one of the files has another content now.
std::optional<std::string_view> programOf(std::string_view entry);

} // namespace pbc::driver
