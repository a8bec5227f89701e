// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Uses a configuration that was made for another version of the program as far as it fits: each entry has a
// legal fallback.
//
//   fit(program, text, "sort.cfg", &threads)
//       ->  {errors: [], entries: [{Sort.choice, Ok}, {Sort.blok, Unknown}, ...]}
//
// An unknown name is left out. The sizes of a level that is not legal go to the level below it, or else to
// the level above it; a choice without any legal level gets its default. A number out of range becomes the
// nearest legal one; a value that is no number becomes the default. Source: tuning-practice.md 2.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/config/entry.h"

namespace pb::config {

struct Fitted {
  std::vector<std::string> errors; // the text is not TOML, or another program's: nothing was applied
  std::vector<Entry> entries;      // in the text's order, then those that it lacks
};

/// Fills the slots; sets `threads` as apply() does.
Fitted fit(const Program &, const std::string &toml, const std::string &where, int *threads);

/// One line that says where the configuration comes from and what does not fit; "" if it was made here. `command`: the
/// program for which it can be tuned again; "" if there is none.
std::string warningAbout(const Program &, const std::string &toml, const std::string &where,
                         const std::string &command, const Fitted *);

} // namespace pb::config
