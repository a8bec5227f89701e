// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds configurations to start from: those that, according to the journal, were best elsewhere.
//
//   storedSeeds(space, readJournal(path), {machine, "n=4096 seed=1"}, 4)
//       ->  the best of this machine at other sizes, then of other machines, the nearest first; at most 4
//
// A configuration counts if the program's space still contains it. For each place (a machine at a size) the
// fastest by the median of its runs is taken, if it was not rejected there. Invariant: no configuration
// occurs twice, none is the default. Source: tuning-practice.md 8.
#pragma once
#include "tuner/journal/journal.h"
#include "tuner/space/configuration.h"

namespace pbc::tuner {

struct Place {
  std::string machine;
  std::string size; // as in the journal
};

/// Entries for `here` itself are left out, because the search takes them from the journal anyway.
std::vector<Configuration> storedSeeds(const ProgramSpace &, const std::vector<JournalEntry> &,
                                       const Place &here, std::size_t most);

} // namespace pbc::tuner
