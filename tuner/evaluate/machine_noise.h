// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much times vary on this machine now, before anything is tuned: times that differ by less cannot be
// distinguished by a few runs.
//
//   MachineNoise noise = measureNoise(worker, configuration, 0.03, 2.5)
//   inWords(noise)  ->  "9 runs of the default (30 ms) differ by 2.1 %, a loop of 2 ms by 0.4 %; others use
//                        1.7 of 2 processors: clearer without them"
//
// The difference is the median absolute deviation, scaled to a standard deviation, relative to the median: a
// few outliers do not count. The loop touches no memory, so it shows the clock and the scheduler.
#pragma once
#include "tuner/evaluate/worker.h"

namespace pbc::tuner {

struct MachineNoise {
  double ofProgram = 0;     // of runs of the same configuration
  std::string disagreement; // of the program's results with its first ones, as for a candidate; "": none
  int runs = 0;
  double seconds = 0; // median time of one of them
  double ofLoop = 0;
  double busyProcessors = 0; // by other processes
  int processors = 1;
};

/// Takes about half a second, or three runs, or one run if three take longer than `most` seconds. The worker must
/// be prepared; `seconds` is the approximate time of a run.
MachineNoise measureNoise(Worker &, const std::string &toml, double seconds, double most);

/// `of`: what ran, for the text.
std::string inWords(const MachineNoise &, const std::string &of = "default");

/// The deviation described above; 0 for fewer than two values.
double relativeDeviation(std::vector<double> values);

} // namespace pbc::tuner
