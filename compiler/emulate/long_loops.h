// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Emulates traces whose loops may be long.
//
// In order: a core that comes to the same state again repeats itself (core_state.h), so that the time is that of all rounds.
//
// With a window, few rounds of each loop are gone through, and the time of all follows from how it grows.
//
//   { load; FU } 1,000,000 times: 4 rounds take 1,700, 8 take 2,900   =>   time 2,900 + 999,992 * 300
//
// Outer loops are shortened first, and no more of them than needed: what limits a round depends on how often the loops inside of it run. With
// several shortened loops the time is linear in the rounds of each while the others stay: it is found at both numbers of rounds of each, in all
// combinations. The numbers are doubled until the growth of two steps in turn differs by at most 1 %, and are then the same for all changes of
// parameters, whose times can be compared. What limits only rounds that come much later is not seen. Admissions are counted, not estimated. Source: bottleneck-analysis.md 5, long loops.
#pragma once
#include "compiler/emulate/emulator.h"
#include "compiler/emulate/program.h"

namespace pbc::emulate {

class Emulation {
public:
  /// So many instructions of all threads are gone through without shortening a loop; and to find a steady growth, so many.
  static constexpr double kFewInstructions = 5e3, kMostInstructions = 5e4;

  /// Keeps references to all three. Throws as emulate() does.
  Emulation(const Trace &, const Threads &, const Core &);

  Outcome run(const std::optional<Change> & = {}) const;

  const Trace &trace() const { return trace_; }
  const Core &core() const { return core_; }
  const Threads &threads() const { return threads_; }

private:
  struct Long {
    std::size_t loop; // its place in Trace::loops
    long few;         // rounds; also twice as many are gone through
  };

  Outcome shortened(const std::optional<Change> &) const;
  Outcome at(const std::vector<long> &rounds, const std::optional<Change> &) const;
  long fewest(std::size_t loop) const;
  bool isSteady(std::size_t which) const;
  double instructionsWith(const std::vector<long> &rounds) const;
  std::vector<long> rounds(int factor, std::optional<std::size_t> which) const;

  const Trace &trace_;
  const Threads threads_;
  const Core &core_;
  const Program program_;
  std::vector<Long> long_;
  bool isSteady_ = true; // whether the growth was the same in two steps wherever it is relied on
};

} // namespace pbc::emulate
