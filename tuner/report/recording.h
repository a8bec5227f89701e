// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the journal knows of one tuning, as values: sizes as numbers, parsed configurations, and a clock that
// does not advance between sessions.
//
//   recordingOf(space, journal.load(...), "")
//     -> Recording{sizes {n=64, n=128, ...}, trials {{0.4 s, n=64, configuration 0, {0.5 ms}}, ...}}
//
// A journal may hold several tunings: with other inputs, threads, or another accuracy bin. The recording
// consists of the rows that were measured under the same conditions as the newest row (of this bin).
//
// Invariant: sizes grow by n; trials are in the order in which they were made; each refers to a size and a
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
  /// What the trials have in common besides their sizes: "seed=1", input files, threads.
  std::string conditions;
  std::string machine;
  std::vector<RecordedSize> sizes;
  std::vector<Configuration> configurations;
  std::vector<Trial> trials;
  int largest = -1;        // the largest size at which the last session measured something; -1: none
  double elapsed = 0;      // seconds of tuning
  int sessions = 0;        // parts that are separated by longer pauses
  std::string first, last; // in UTC
  int unreadable = 0;      // rows that do not fit the program
  int leftOut = 0;         // configurations that were not run, because of their bounds
};

// With another objective than time, the seconds of a trial are the objective's value: joules, bytes, or their
// product with seconds. Rows without that metric are left out.

/// `bin`: the transform of an accuracy bin, for a program that has them; else "".
Recording recordingOf(const ProgramSpace &, const std::vector<JournalEntry> &, const std::string &bin,
                      const Objective & = {});

} // namespace pbc::tuner
