// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A configuration for another version of the program, used as far as it goes: each entry has a legal
// fallback.
//
//   fit(program, text, "sort.cfg", &threads)  ->  {errors: [], entries: [{Sort.choice, Ok}, {Sort.blok,
//   Unknown}, ...]}
//
// An unknown name is left out. Sizes of a level that cannot be are its lower neighbour's, or else its upper
// one's; a choice without any legal level has its default. A number out of range becomes the nearest legal
// one; what is no number has its default. Source: tuning-practice.md 2.
#pragma once
#include "runtime/abi/program.h"
#include "runtime/config/entry.h"

namespace pb::config {

struct Fitted {
  std::vector<std::string> errors; // not TOML, or another program's: nothing was applied
  std::vector<Entry> entries;      // in the text's order, then those that it lacks
};

/// Fills the slots; `threads` as apply() does.
Fitted fit(const Program &, const std::string &toml, const std::string &where, int *threads);

/// One line about where it comes from and what does not fit; "" if it is from here.
std::string warningAbout(const Program &, const std::string &toml, const std::string &where,
                         const std::string &command, const Fitted *);

} // namespace pb::config
