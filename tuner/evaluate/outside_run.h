// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks the winner once more from outside: the program runs as a user would run it, in a process of its own with the
// configuration in a file. Its time by the tuner's own clock, and the files that it writes, are compared with those of
// the default.
//
//   OutsideRun outside(program, options, space);
//   outside.look(tuned, defaults, {{"n", 20000}}, {.byDefault = 0.2, .claimed = 0.01}, until)
//       ->  nothing, or Rejected{"run by itself, gives a different result from the default"}
//
// All earlier measurements were reported by a process in which the candidate's own code ran. This check finds code
// that behaves differently in a worker or that manipulates the clock. A claimed gain is contradicted if it is large
// enough to be visible from outside but is not there (--time gives each run inputs of its own, so a candidate that
// remembers its last input has no gain there). First the times of whole processes are compared. Starting a
// device or reading a file may hide a gain there, so after that the difference between many runs and one run in a
// process is compared.
//
// Invariant: a default that does not run in this way, a full disk or too little time reject no configuration;
// remark() says what was not checked.
#pragma once
#include "tuner/evaluate/worker.h"

namespace pbc::tuner {

/// The seconds of a run that the workers have measured; 0: not known, and only the results are compared.
struct Claim {
  double byDefault = 0, claimed = 0;
};

/// Whether the seconds of a run, measured from outside, contradict a claimed gain: neither is a part of the gain there, nor does the
/// candidate take about as long as it has reported. Noise alone can hide one of the two.
bool areContradicted(const Claim &, double byDefault, double own);

class OutsideRun {
public:
  OutsideRun(std::string program, WorkerOptions, const ProgramSpace &);

  /// Both texts are configurations; `until` is a moment of the steady clock.
  std::optional<Rejected> look(const std::string &toml, const std::string &defaults, const Sizes &,
                               const Claim &, double until);
  const std::string &remark() const { return remark_; }

private:
  struct Ran {
    bool isDone = false;
    double seconds = 0;
    std::optional<Rejected> rejected; // for a reason that lies in the program, not in its surroundings
  };
  /// `outputs`: the prefix of the output files; "": none are written. `trials`: the number for --time; 0: a plain run.
  Ran run(const std::string &configuration, const Sizes &, const std::string &outputs, long trials,
          double until);
  std::optional<Rejected> compare(const std::string &folder, const std::string &defaults, const Sizes &,
                                  double until);
  std::vector<std::string> outputFiles(const std::string &prefix) const;
  bool hasRoom(const std::string &folder, const Sizes &) const;

  std::string program_;
  WorkerOptions options_;
  const ProgramSpace &space_;
  std::string remark_;
  double stopBy_ = 0; // a moment of the steady clock, once the user wants to end
};

} // namespace pbc::tuner
