// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One multiprocessor or one core of a processor, as far as time is concerned: resources with a latency and a gap, and how instructions are
// chosen.
//
//   K20c: GM { latency 500, gap 5.6 }, SM { 30, 1 }, FU { 10, 0.17 }; 4 schedulers, 2 instructions each, greedy then oldest
//
// Times are whole thousandths of a cycle, so that results are the same on every machine. A latency counts from the beginning of an operation
// to the earliest beginning of one that needs its result; a gap is the time between two admissions. Source: bottleneck-analysis.md 2, 3.4.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace pbc::emulate {

using Time = std::int64_t; // thousandths of a cycle
inline constexpr Time kCycle = 1000;

inline Time cycles(double c) { return static_cast<Time>(std::llround(c * kCycle)); }
inline double inCycles(Time t) { return static_cast<double>(t) / kCycle; }

struct Cost {
  Time latency = 0, gap = 0;
};

struct Core {
  /// What a resource does, as far as remedies are concerned.
  enum class Kind {
    Other,
    Memory,     // what many cores share, and the caches in front of it
    Near,       // the first cache, a group's memory, and the ports to them
    Arithmetic, // of floating-point numbers
    Special     // whole numbers, quotients, roots
  };
  struct Resource {
    std::string name;
    Cost cost;
    Kind kind = Kind::Other;
    int queue = 0; // so many requests may wait for their admission before issuing stops; 0: any number
  };
  enum class Policy { GreedyThenOldest, RoundRobin };

  std::vector<Resource> resources;
  int schedulers = 1;  // warp w belongs to scheduler w modulo this
  int width = 1;       // instructions that a scheduler issues at once, all of one warp
  Time issue = kCycle; // from one issue to the next
  Time barrier = 0;    // from the last arrival to the release
  bool drains = true;  // a barrier waits for the results of all earlier instructions, too
  Policy policy = Policy::GreedyThenOldest;
  int window = 0; // > 0: a thread begins instructions out of order among so many, and ends them in order

  /// The place of a resource of this name, or -1.
  int find(const std::string &name) const {
    for (std::size_t k = 0; k < resources.size(); ++k)
      if (resources[k].name == name)
        return static_cast<int>(k);
    return -1;
  }
};

/// What shares the core.
struct Threads {
  int count = 1;    // threads or warps
  int perBlock = 0; // those that wait for each other at a barrier; 0: all
};

} // namespace pbc::emulate
