// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records the contents of the files from which a result was made, and checks whether they are unchanged.
//
//   const FileStates::Time begin = FileStates::now();
//   ... compile, which reads files ...
//   if (auto states = FileStates::of(paths, begin))    // nothing: a file was changed meanwhile
//     entry = *states;
//   later
//   if (FileStates::areSame(entry)) use the result
//
// A path may also be one where there was no file: then there must be none later. A file counts as unchanged
// if its content is the same. The content is not read if the file's size, its number on the disk and the
// times of its last changes are the same: the kernel sets the time of a change (st_ctime), and no program can
// set it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::build {

class FileStates {
public:
  /// Nanoseconds. The clock that gives files their times may lag behind by a few milliseconds.
  using Time = std::int64_t;
  static Time now();

  /// The states of all files as one text. Nothing if one of them was changed after `begin`, because it is
  /// unknown which content was read.
  static std::optional<std::string> of(const std::vector<std::string> &paths, Time begin);
  static bool areSame(std::string_view states);
  /// The paths of a text that of() has made.
  static std::vector<std::string> paths(std::string_view states);
};

} // namespace pbc::build
