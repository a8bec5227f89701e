// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decides which runs of a request count and what makes one time. The first runs depend more on what was done
// before than on the configuration.
//
//   RunTimes times({.trials = 3});
//   first run: 1 ms, after 40 ms of filling and comparing   -> the next 10 ms of runs do not count, either
//   times.began(0.001, 0.04);  times.add(...) until times.isComplete()  ->  times.seconds(): 3 of them
//
// The first runs find matrices in the caches of the thread that has filled or compared them, sleeping
// threads, processors that a host has given to others, and memory that must be allocated anew. They are not
// counted for as long as what was done before took, but a long first run counts. A time is the median of as
// many short runs as cost little compared with the rest of the request.
//
// Invariant: there is at least one time, and at most `trials`. Source: own (docs/tuning.md).
#pragma once
#include <vector>

namespace pb::program {

/// The cost of one run, taken from as many runs as an energy counter needs.
struct RunCost {
  double seconds = 0, joules = 0; // of one run
  double spent = 0;               // seconds of all of them
};

class RunTimes {
public:
  struct Wanted {
    long trials = 1;
    double limit = 1e9;  // seconds that all times may take; the last one may exceed it
    bool energy = false; // with energy each RunCost is of many runs, and all of them count
    /// With `memory`, memory is allocated in the first run, which does not count, however long it is.
    bool memory = false;
  };

  explicit RunTimes(const Wanted &wanted) : wanted_(wanted) {}

  /// To be called after the first run, with its duration; `before`: seconds of the request until now, without
  /// that run.
  void began(double seconds, double before);
  /// To be called for all runs, including the first.
  void add(const RunCost &);
  /// Leaves out a run that includes the time of a compiler.
  void skip() { isFirst_ = false; }

  bool isComplete() const {
    return static_cast<long>(seconds_.size()) >= wanted_.trials ||
           (!seconds_.empty() && total_ >= wanted_.limit);
  }
  const std::vector<double> &seconds() const { return seconds_; }
  /// As many as seconds().
  const std::vector<double> &joules() const { return joules_; }

private:
  const Wanted wanted_;
  double window_ = 0; // seconds of runs that make one time
  /// Seconds of runs after the first that do not count; negative: the first counts, too.
  double warmUntil_ = -1;
  double warmed_ = 0;
  bool isFirst_ = true;
  std::vector<double> repeated_; // runs of the next time
  double repeatedFor_ = 0;
  std::vector<double> seconds_, joules_;
  double total_ = 0;
};

} // namespace pb::program
