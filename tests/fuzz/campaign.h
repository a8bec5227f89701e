// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The main function of a fuzz target: it tries mutated texts until its time is over.
//
//   return fuzz::campaign({.name = "fuzz_kernel", .seeds = {kernels}, .tryText = readBack}, argc, argv);
//   fuzz_kernel [seconds = 60] [seed = 1]       "20000 texts, 3182 of them accepted, the slowest took 0.31 s"
//
// The same seed gives the same texts. A text that makes the target crash or hang, for which it throws, or with whose result
// it is not content is printed to standard error, and the process fails.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace pbc::fuzz {

struct Verdict {
  bool isAccepted = false;
  std::string problem = {}; // what is wrong, in one sentence; "" if nothing is
};

struct Target {
  std::string name;
  std::vector<std::string> seeds; // what is mutated
  std::function<Verdict(const std::string &)> tryText;
  int secondsEach = 10;       // of processor time
  unsigned mostMutations = 6; // of one text
  unsigned mostTexts = 20000;
  bool triesSeeds = true; // first, as they are; each must be accepted
};

/// The exit status. `argv`: seconds and the seed of the random numbers, if they are given.
int campaign(const Target &, int argc, char **argv);

} // namespace pbc::fuzz
