// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What became of one entry of a configuration's text.
//
//   [Sort]                                        Sort.block, 3:9, OutOfRange,
//   choice = "MergeSort"                    =>      "Sort.block = 5000 is out of range: 1 to 4096",
//   block = 5000                                    instead: "4096 is used"
//
// Invariant: `problems` is empty exactly where the state is Ok.
#pragma once
#include <string>
#include <vector>

namespace pb::config {

enum class EntryState {
  Ok,
  Unknown,      // the program has nothing of that name, or a choice no such alternative
  OutOfRange,   // of a tunable
  Unreachable,  // a level of a choice that no size falls into
  Wrong,        // malformed
  Missing,      // the text does not mention it
  Changed,      // the transform's text is not what it was when the configuration was made
  OtherProgram, // `program`
  OtherVersion, // `hash`
  OtherMachine, // [made-by]
};

/// "out of range", for people and programs.
const char *name(EntryState);

struct Entry {
  std::string transform, key; // transform "": of the whole file; key "": the transform itself
  int line = 0, column = 0;   // 0: not in the text
  EntryState state = EntryState::Ok;
  std::vector<std::string> problems = {};
  std::string instead = {}; // what is done now
  std::string title() const {
    return transform.empty() || key.empty() ? transform + key : transform + "." + key;
  }
};

} // namespace pb::config
