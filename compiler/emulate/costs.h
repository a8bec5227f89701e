// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The costs of each region's instructions under a change, as both kinds of cores look them up.
#pragma once
#include "compiler/emulate/emulator.h"

namespace pbc::emulate {

class Costs {
public:
  Costs(const Trace &, const Core &, const std::optional<Change> &);

  const Cost &of(int region, int resource) const {
    return table_[static_cast<std::size_t>(region) * resources_ + static_cast<std::size_t>(resource)];
  }
  Time issue() const { return issue_; }
  Time barrier() const { return barrier_; }

private:
  std::size_t resources_;
  std::vector<Cost> table_; // by region, then by resource
  Time issue_, barrier_;
};

/// All that a core goes through.
struct Run {
  const Trace &trace;
  const Threads &threads;
  const Core &core;
  const Costs &costs;
  std::vector<Event> *events; // may be null
  bool goesThroughAll = true; // and repeats nothing (core_state.h)
};

/// In cores whose warps are issued in order, and in those with a window (Core::window).
struct Program;
Outcome runInOrder(const Run &, const Program &);
Outcome runInWindow(const Run &);

/// Sends a thread's accesses to one of two memories so that each has its share at all times: with a rate of 5/8 every second one, and after
/// two of these one more. Threads begin at different places of the pattern, as if they stood one behind the other. Source:
/// bottleneck-analysis.md 3.4, error diffusion.
class Router {
public:
  /// `before`: the accesses to the nearer memory by the threads in front of this one.
  explicit Router(double before);
  bool isNearer(double rate) { return goesNearer(sum_, rate); }
  double sum() const { return sum_; }
  /// The same for a sum that is kept elsewhere.
  static bool goesNearer(double &sum, double rate);

private:
  double sum_;
};

} // namespace pbc::emulate
