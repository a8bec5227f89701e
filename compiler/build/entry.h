// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The format of a cache entry: parts with their lengths. The states of files (file_states.h) come last.
//
//   std::string entry;
//   appendPart(entry, object);
//   entry += *FileStates::of(paths, begin);
//
//   std::string_view rest = entry;
//   auto object = takePart(rest);              // nothing if the entry ends too early
//   if (object && FileStates::areSame(rest)) use(*object);
//
// Invariant: taking parts in the order of appending returns the appended texts, or nothing; the views refer to `entry`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pbc::build {

void appendPart(std::string &entry, std::string_view part);
std::optional<std::string_view> takePart(std::string_view &rest);

} // namespace pbc::build
