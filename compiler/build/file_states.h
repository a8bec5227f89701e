// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which contents the files had that a result was made from, and whether they still have them.
//
//   const FileStates::Time begin = FileStates::now();
//   ... compile, which reads files ...
//   if (auto states = FileStates::of(paths, begin))    // nothing: a file was changed meanwhile
//     entry = *states;
//   later
//   if (FileStates::areSame(entry)) use the result
//
// A path may also be one where there was no file: then there must be none now. A file counts as the same if its
// content is the same. Reading it for that is left out where its size, its number on the disk and the times of its
// last changes are those that they were: the kernel sets the time of a change (st_ctime), and no program can.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::build {

class FileStates {
public:
  /// Nanoseconds. Files are stamped by a clock that may lag behind by a few milliseconds.
  using Time = std::int64_t;
  static Time now();

  /// The states of all files as one text. Nothing when one of them was changed after `begin`: what was read of it
  /// is not known then.
  static std::optional<std::string> of(const std::vector<std::string> &paths, Time begin);
  static bool areSame(std::string_view states);
  /// The paths of a text that of() has made.
  static std::vector<std::string> paths(std::string_view states);
};

} // namespace pbc::build
