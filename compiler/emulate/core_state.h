// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All that decides how an in-order core goes on, so that a core that comes to the same state again is known to repeat itself.
//
//   then: warp 0 in round 7 at time 5000; now: the same, but in round 9 at time 6200
//     =>  repeat(then, now, 100 rounds): 45 times more; warp 0 in round 99 at time 60200
//
// Warps whose rounds differ do the same until their loop ends, and those that wait for their turn, as under greedy scheduling, stay where they
// are. So the repetition is not an estimate: it ends where it would have ended if all rounds had been gone through. With a tolerance, the times
// of two states may differ by as much, and the repetition is estimated to within it.
#pragma once
#include "compiler/emulate/emulator.h"
#include <deque>
#include <limits>

namespace pbc::emulate {

inline constexpr Time kNever = std::numeric_limits<Time>::max();

struct CoreState {
  struct Unit {
    Time admits = 0;    // the next request
    Time busyUntil = 0; // the last result so far
    std::deque<Time>
        admitted; // when the last requests were or will be admitted, as many as fit into its queue
  };
  struct Arrivals { // of a block at its barrier
    int count = 0;
    Time last = 0;
  };

  Time now = 0, end = 0; // `end`: the last result so far
  // By warp, those of a scheduler next to each other.
  std::vector<int> step;        // the next one
  std::vector<Time> earliest;   // when the operands of the next step are there; at a barrier, its release
  std::vector<Time> latest;     // result so far
  std::vector<char> isWaiting;  // at a barrier
  std::vector<double> routes;   // how far the routers between memories are, kMostNearer of each
  std::vector<long> routed;     // accesses that it sent
  std::vector<long> carriedOut; // instructions, of those that were gone through
  std::vector<long> rounds;     // and by loop
  std::vector<Time> ready;      // and by register, when its value is there
  // By scheduler.
  std::vector<int> last;    // the warp that it chose last
  std::vector<Time> issues; // when it issues again
  std::vector<Unit> units;  // by resource
  std::vector<Arrivals> arrivals;
  std::vector<Use> uses;
};

/// How many times more what happened between the states can happen before a warp leaves its loop; 0 if they are not alike.
/// `within`: times may differ by so much.
long repetitions(const CoreState &then, const CoreState &now, const std::vector<Repeat> &loops, Time within);

/// Goes on so many times by what happened between the states.
void repeat(const CoreState &then, CoreState &now, const std::vector<Repeat> &loops, long times);
/// All times are so much later.
void shift(CoreState &, Time by);

} // namespace pbc::emulate
