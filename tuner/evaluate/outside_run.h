// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The winner once more from outside: the program runs as a user would run it, in a process of its own with the
// configuration in a file, and the tuner's own clock and the files that it writes are compared with the default's.
//
//   OutsideRun outside(program, options, space);
//   outside.look(tuned, defaults, {{"n", 20000}}, {.byDefault = 0.2, .claimed = 0.01}, until)
//       ->  nothing, or Rejected{"run by itself, it gives a different result from the default"}
//
// All that was measured before was said by a process in which the candidate's own code ran: what tells a worker from a
// run, or stops the clock, is found here. A claim is contradicted if a gain that must be visible from outside is
// not there at all: whole processes first, then, because starting a device or reading a file may hide a gain,
// the difference of runs repeated often and once.
//
// Invariant: a default that does not run so, a full disk or too little time reject nobody; remark() says what was not
// looked at.
#pragma once
#include "tuner/evaluate/worker.h"

namespace pbc::tuner {

/// Seconds of a run, as the workers have measured them; 0: not known, only the results count.
struct Claim {
  double byDefault = 0, claimed = 0;
};

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
    std::optional<Rejected> rejected; // by the program's own doing
  };
  /// `outputs`: the prefix of their files; "": none are written. `trials`: of --time; 0: a plain run.
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
