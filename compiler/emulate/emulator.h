// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long threads take that share a core, found by going through their instructions without any data.
//
//   3 warps { load from GM; FU; FU after the first FU }, GM { 500, 100 }, FU { 100, 20 }
//   =>  time 700; GM: 3 admissions, in flight 700; FU: 6 admissions, in flight 240
//
// An instruction is issued when its operands are there and its scheduler chooses its warp; it begins when its resource admits it, and each of
// its transactions keeps the resource for the gap. The time is that of the last result, not of the last instruction. In a core with a
// window, instructions of a thread begin as soon as operands and resource allow, are taken in and retired in order.
//
// Nothing is random: the same trace takes the same time everywhere. Source: bottleneck-analysis.md 3.2 (Algorithm 1 as cleaned there), 3.3
// to 3.5, 8 (processors).
#pragma once
#include "compiler/emulate/core.h"
#include "compiler/emulate/trace.h"

namespace pbc::emulate {

enum class Mode { Latency, Throughput };

/// One figure of a core: the latency or the gap of a resource, or what all instructions need.
struct Parameter {
  static constexpr int kIssue = -1,
                       kBarrier =
                           -2; // instead of a resource: Core::issue (its gap), Core::barrier (its latency)
  int resource = 0;
  Mode mode = Mode::Latency;
  bool operator==(const Parameter &) const = default;
};

/// A parameter that is so many times as large; with a region, for its instructions only.
struct Change {
  Parameter parameter;
  double factor = 1;
  std::optional<int> region = {};
};

struct Use {
  double admissions = 0;
  Time inFlight = 0; // time with at least one request in flight
};

struct Outcome {
  Time time = 0;
  std::vector<Use> uses; // by resource
  bool isExact = true;   // as if all rounds of all loops had been gone through, to within a thousandth

  /// The share of a resource's throughput that is used, 0 to 1 (bottleneck-analysis.md 3.3, U_thr).
  double throughput(const Core &, int resource) const;
  /// The share of the time in which it works on something (U_lat).
  double occupied(int resource) const;
};

/// What happened to one instruction.
struct Event {
  int thread = 0, instruction = 0;
  Time issue = 0, begin = 0, finish = 0;
};

/// Goes through every instruction: use Emulation (long_loops.h) where loops may be long. Throws std::invalid_argument with what verify() says,
/// or if some threads never reach a barrier's release.
Outcome emulate(const Trace &, const Threads &, const Core &, const std::optional<Change> & = {},
                std::vector<Event> *events = nullptr);

} // namespace pbc::emulate
