// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finished programs in the cache: the same text with the same options is not compiled twice.
//
//   if (mayBeCached(options, text))
//     if (const auto entry = cache.get(programKey(options, text, schedules)))
//       if (const auto bytes = programOf(*entry))
//         write *bytes;
//
// The key is made of the text, the options and the environment. An entry also has the contents of all other files
// that took part: headers of the system, libraries, the runtime.
#pragma once
#include "compiler/build/cache.h"
#include "compiler/build/file_states.h"
#include "compiler/driver/options.h"
#include "compiler/source/source.h"

namespace pbc::driver {

/// Whether the program depends only on the text and the options, and is the only output. Raw blocks may include other
/// files, a configuration is one, and an XML file or kept objects are further outputs.
bool mayBeCached(const Options &, const source::MappedText &);
/// `schedules`: the texts of the files of schedules and of adaptors.
build::Cache::Key programKey(const Options &, const source::MappedText &,
                             const std::vector<std::string_view> &schedules);

/// Makes an entry. `filesRead`: by the compiler and the linker since `begin`. Nothing if one of them was changed
/// meanwhile.
std::optional<std::string> programEntry(const std::string &bytes, const std::vector<std::string> &filesRead,
                                        build::FileStates::Time begin);
/// The program in an entry. Nothing if the content of one of the files has changed.
std::optional<std::string_view> programOf(std::string_view entry);

} // namespace pbc::driver
