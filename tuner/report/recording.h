// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the journal knows of one tuning, as values: sizes as numbers, configurations that can be asked what
// they decide, a clock that stands still between sessions.
//
//   recordingOf(space, journal.load(...), "")
//     -> Recording{sizes {n=64, n=128, ...}, trials {{0.4 s, n=64, configuration 0, {0.5 ms}}, ...}}
//
// A journal may hold several tunings: with other inputs, threads, another accuracy bin. Taken is what was
// recorded like the newest row (of this bin).
//
// Invariant: sizes grow by n; trials are in the order in which they were made; each names a size and a
// configuration of the recording that fits the space.
#pragma once
#include "tuner/journal/journal.h"
#include "tuner/space/configuration.h"
#include "tuner/strategy/evaluator.h"

namespace pbc::tuner {

struct RecordedSize {
  std::string name; // "n=4096"
  long n = 0;       // what selectors of the main transform see
};

struct Trial {
  double at = 0; // seconds of tuning since the first trial
  int size = 0, configuration = 0;
  std::vector<double> seconds;
  std::optional<Rejected> rejected;
  double limit = 0;
};

struct Recording {
  std::string conditions; // what the trials have in common beside their sizes: "seed=1", input files, threads
  std::string machine;
  std::vector<RecordedSize> sizes;
  std::vector<Configuration> configurations;
  std::vector<Trial> trials;
  int largest = -1;        // the largest size at which the last session measured something; -1: there is none
  double elapsed = 0;      // seconds of tuning
  int sessions = 0;        // parts with longer pauses between them
  std::string first, last; // when, in UTC
  int unreadable = 0;      // rows that do not fit the program
};

// What a trial calls seconds is the objective's value: joules, bytes, their product with seconds. Rows that
// do not know it are left out.

/// `bin`: of a program with accuracy bins, the transform; else "".
Recording recordingOf(const ProgramSpace &, const std::vector<JournalEntry> &, const std::string &bin,
                      const Objective & = {});

} // namespace pbc::tuner
