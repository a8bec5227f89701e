// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A journal as it is, for those who only read: nothing is made or changed.
//
//   readJournal("prog.tune.sqlite")  ->  all entries, oldest first, of all versions and machines
//
// Invariant: the file is opened read-only, so a tuning that runs meanwhile is not disturbed.
#pragma once
#include "tuner/journal/journal.h"

namespace pbc::tuner {

/// Throws TunerError if there is no such file, or it is no journal.
std::vector<JournalEntry> readJournal(const std::string &path);

} // namespace pbc::tuner
