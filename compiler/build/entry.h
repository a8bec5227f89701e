// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an entry of the cache consists of: parts with their lengths, and files with the checksums that their
// contents had.
//
//   std::string entry;
//   appendPart(entry, object);
//   appendFiles(entry, {"/usr/include/math.h"});
//
//   std::string_view rest = entry;
//   auto object = takePart(rest);              // nothing when the entry ends too early
//   auto files = takeUnchangedFiles(rest);     // nothing, too, when a file has another content now
//
// Invariant: taking in the order of appending gives what was appended, or nothing; the views are of `entry`.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::build {

void appendPart(std::string &entry, std::string_view part);
std::optional<std::string_view> takePart(std::string_view &rest);

/// The rest of an entry.
void appendFiles(std::string &entry, const std::vector<std::string> &paths);
std::optional<std::vector<std::string>> takeUnchangedFiles(std::string_view rest);

} // namespace pbc::build
