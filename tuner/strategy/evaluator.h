// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The interface through which a search measures: how long a configuration takes at a size. Whether a process,
// a formula or a recording answers is hidden from the search.
//
//   evaluator.measure({configuration, size 3, trials 2, limit 0.5 s}) -> seconds {0.031, 0.030}
//                                                         or Rejected{Crash, "ended by signal 11"}
//
// Invariant: a measurement has either at least one time or a rejection, unless `stopped()`; once that is
// true, it stays true. Source: petabricks-hetero 7.2; the idea of a searcher that never sees the device is
// Telamon's.
#pragma once
#include "tuner/space/configuration.h"
#include "tuner/strategy/objective.h"

#include <optional>
#include <string>
#include <vector>

namespace pbc::tuner {

enum class Failure {
  TooSlow,     // stopped at its time limit: slow, or hanging
  OutOfMemory, // wanted more than its share of the machine's memory
  Compiling,   // one of its kernels is still being compiled after the time limit for that
  Crash,       // ended by a signal
  Exit,        // ended by itself, without an answer
  WrongResult, // its outputs are not those of the default
  Inexact,     // it misses the accuracy target
  Error,       // the program refused the configuration
};

/// "wrong result", for tables and the journal.
const char *nameOf(Failure);
std::optional<Failure> failureNamed(const std::string &name);

struct Rejected {
  Failure kind = Failure::Error;
  std::string reason; // the predicate of a sentence: "gives a different result (max difference 0.5)"
};

struct Measurement {
  std::vector<double> seconds; // of each run, in order
  std::optional<Rejected> rejected;
  std::vector<double> joules = {};  // of each run, if the energy is measured
  std::optional<double> bytes = {}; // the most at once, if memory is measured

  /// The metrics of each run.
  std::vector<Metrics> metrics() const;
};

/// Which results of a request are compared with the default's.
enum class Compared {
  First,
  Nothing, // the results were right at this size before
  Last,    // also after all runs, because some configurations are right only at first
};

struct Request {
  const Configuration &configuration;
  int size = 0;       // index into the test sizes
  int trials = 1;     // runs wanted; fewer may come when the limit is reached
  double limit = 0;   // seconds that one run may take
  bool fresh = false; // recorded times do not count
  Compared compared = Compared::First;
};

/// One size at which candidates are tested.
struct TestSize {
  std::string name;          // "w=1024 h=768", for output
  long n = 0;                // what selectors of the main transform see
  double defaultSeconds = 0; // approximate time of the default configuration; 0: not known
};

/// A failure of a configuration at a size that is not among the tested ones.
struct Misfit {
  Rejected rejected;
  std::string size; // "w=1023 h=767"
  long n = 0;
};

enum class Depth {
  Quick,   // tiny sizes only
  Thorough // all sizes up to the full one
};

class Evaluator {
public:
  virtual ~Evaluator() = default;
  virtual Measurement measure(const Request &) = 0;
  /// Checks the configurations where no time is measured, until the given time of its clock; returns one
  /// entry for each of them. By default nothing is wrong.
  virtual std::vector<std::optional<Misfit>> examine(const std::vector<Configuration> &all, Depth,
                                                     double /*deadline*/) {
    return std::vector<std::optional<Misfit>>(all.size());
  }
  /// Runs the configuration once more as a user would, outside of the processes that measure, and returns what
  /// is wrong with it. `byDefault` and `seconds` are the times that were measured of the default and of it.
  virtual std::optional<Rejected> confirm(const Configuration &, int /*size*/, double /*byDefault*/,
                                          double /*seconds*/) {
    return {};
  }
  /// A time in seconds below which no run of the configuration at this size stays; 0: none is known.
  virtual double bound(const Configuration &, int /*size*/) { return 0; }
  /// Is told of a configuration that is not measured, because its bound is above `known` seconds.
  virtual void leftOut(const Configuration &, int /*size*/, double /*bound*/, double /*known*/) {}
  /// Makes later measurements run in a new process, whose memory lies elsewhere, and with other inputs; false
  /// if that is not possible.
  virtual bool renew() { return false; }
  /// Lets so many seconds of its clock pass, unless the user wants the tuning to end.
  virtual void pause(double /*seconds*/) {}
  /// Seconds since tuning began (a simulated clock in tests).
  virtual double elapsed() const = 0;
  /// True when the user wants the tuning to end.
  virtual bool stopped() const = 0;
};

} // namespace pbc::tuner
