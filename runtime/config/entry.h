// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The state of one entry of a configuration's text.
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
  Unknown,      // the program has nothing of that name, or the choice has no such alternative
  OutOfRange,   // the value of a tunable is out of range
  Unreachable,  // a level of a choice that applies to no size
  Wrong,        // malformed
  Missing,      // the text does not mention it
  Changed,      // the transform's text has changed since the configuration was made
  OtherProgram, // `program` names another program
  OtherVersion, // `hash` is that of another version
  OtherMachine, // [made-by] names another machine
};

/// The state in words, "out of range", for people and programs.
const char *name(EntryState);

struct Entry {
  std::string transform, key; // transform "": the whole file; key "": the transform itself
  int line = 0, column = 0;   // 0: not in the text
  EntryState state = EntryState::Ok;
  std::vector<std::string> problems = {};
  std::string instead = {}; // what is used instead
  std::string title() const {
    return transform.empty() || key.empty() ? transform + key : transform + "." + key;
  }
};

} // namespace pb::config
