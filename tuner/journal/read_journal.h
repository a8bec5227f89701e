// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads a journal without creating or changing anything.
//
//   readJournal("prog.tune.sqlite")  ->  all entries, oldest first, of all versions and machines
//
// Invariant: the file is opened read-only, so a tuning that runs meanwhile is not disturbed.
#pragma once
#include "tuner/journal/journal.h"

namespace pbc::tuner {

/// Throws TunerError if the file does not exist or is no journal.
std::vector<JournalEntry> readJournal(const std::string &path);

/// The bounds of all sizes, oldest first; none from a journal without any.
std::vector<JournalBounds> readBounds(const std::string &path);

} // namespace pbc::tuner
