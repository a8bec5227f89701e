// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a program makes of a configuration of any origin: each entry with its state, and what is in use then.
//
//   fitConfiguration("./sort", text, "sort.cfg")
//     ->  entries {Sort.choice "ok",
//                  Sort.blok "unknown": "... (did you mean 'block'?)", "it is left out"}, toml
//
// The program itself answers ({"op":"fit"} of PROG --serve, runtime/config/fit.h), so that the check and the
// run cannot differ. Invariant: toml fits the program and has all of its entries.
#pragma once
#include "tuner/space/program_space.h"

namespace pbc::tuner {

struct FittedEntry {
  std::string transform, key;
  int line = 0, column = 0; // 0: not in the file
  std::string state;        // "ok", "unknown", "out of range", ...
  std::vector<std::string> problems;
  std::string instead; // what is used instead

  std::string title() const {
    return transform.empty() || key.empty() ? transform + key : transform + "." + key;
  }
  bool isOk() const { return state == "ok"; }
  bool isMissing() const { return state == "missing"; }
};

struct Fitted {
  std::string toml; // with all entries, as in use
  int threads = 0;  // 0: not given
  std::vector<FittedEntry> entries;
};

/// Throws TunerError if nothing of the text can be used, or the program does not answer.
Fitted fitConfiguration(const std::string &program, const std::string &text, const std::string &where);

} // namespace pbc::tuner
