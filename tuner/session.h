// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One run of `pbc tune`, from options to the written configuration.
//
//   TuneOptions options{.program = "./sort"};   runSession(options)  ->  exit status
#pragma once
#include <map>
#include <string>
#include <vector>

namespace pbc::tuner {

struct TuneOptions {
  std::string program;
  std::string output; // empty: PROGRAM.cfg
  long n = 0;         // 0: not given
  std::map<std::string, long> sizes;
  std::vector<std::string> inputs;
  double budget = 0; // seconds; 0: by effort
  int trials = 0;    // measurements of the search, or variants of kernels; 0: as many as there is time for
  std::string effort = "quick";
  std::string strategy;  // "NAME:OPTION=VALUE,..."; empty: by budget
  std::string record;    // measure the whole space into this file instead of tuning
  std::string objective; // "energy", "energy*time"; empty: time, with `refresh` that of the stored file
  std::string front;     // "time,memory": find the Pareto front of these two
  long seed = 1;
  int threads = 0;
  long memoryMegabytes = 0; // 0: three quarters of what is free
  double compileLimit = 0;  // seconds for one kernel of a device, or one variant; 0: the default
  bool fresh = false;
  bool refresh = false; // tune only what the stored configuration does not fit
  bool json = false;
  std::string report;   // the page to write; empty: PROGRAM.tune.html, beside the result; "none"
  std::string bounds;   // the program's source, whose rules bound times; empty: times are not bounded
  std::string machine;  // the machine's description, for bounds; empty: measured
  double enough = 1.05; // a kernel is left alone when its time is at most so many times its bound
  bool why = false;     // with bounds: also what is predicted to limit the rules, at the largest size
  bool guide = false;   // kernels: try first what following their limits proposes
  bool kernels = false; // compile variants; `program` is a source, `output` the program
  int jobs = 0;         // compilations at once; 0: one per processor
  std::vector<std::string> words; // options for the compiler
};

/// Throws TunerError for errors that the user can correct.
int runSession(const TuneOptions &);

} // namespace pbc::tuner
