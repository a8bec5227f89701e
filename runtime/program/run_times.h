// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which runs of a request count, and what is a time: the first runs say more of what was done before than of
// the configuration.
//
//   RunTimes times({.trials = 3});
//   first run: 1 ms, after 40 ms of filling and comparing   -> nor do the next 10 ms of runs count
//   times.began(0.001, 0.04);  times.add(...) until times.isComplete()  ->  times.seconds(): 3 of them
//
// The first runs find matrices in the caches of the thread that has filled or compared them, threads asleep,
// processors that a host has taken back, and memory that must be got anew. They may take as long as what was
// done before, but a long first run counts. A time is the median of as many short runs as cost little beside
// the rest of the request.
//
// Invariant: there is at least one time, and at most `trials`. Source: own (docs/tuning.md).
#pragma once
#include <vector>

namespace pb::program {

/// Of one run, or of as many as a counter of energy can tell.
struct RunCost {
  double seconds = 0, joules = 0; // of one
  double spent = 0;               // seconds of all of them
};

class RunTimes {
public:
  struct Wanted {
    long trials = 1;
    double limit = 1e9;  // seconds that all times may take; the last one may go beyond
    bool energy = false; // runs are many runs: all of them count
    bool memory = false; // new memory is got in the first run, which does not count, however long it is
  };

  explicit RunTimes(const Wanted &wanted) : wanted_(wanted) {}

  /// After the first run, which took so long; `before`: seconds of the request until now, without it.
  void began(double seconds, double before);
  /// All runs, the first one, too.
  void add(const RunCost &);
  /// A run with a compiler's time in it.
  void skip() { isFirst_ = false; }

  bool isComplete() const {
    return static_cast<long>(seconds_.size()) >= wanted_.trials ||
           (!seconds_.empty() && total_ >= wanted_.limit);
  }
  const std::vector<double> &seconds() const { return seconds_; }
  /// As many.
  const std::vector<double> &joules() const { return joules_; }

private:
  const Wanted wanted_;
  double window_ = 0;     // seconds of runs that make one time
  double warmUntil_ = -1; // seconds of runs after the first that do not count; less than 0: it does, too
  double warmed_ = 0;
  bool isFirst_ = true;
  std::vector<double> repeated_; // of the next time
  double repeatedFor_ = 0;
  std::vector<double> seconds_, joules_;
  double total_ = 0;
};

} // namespace pb::program
