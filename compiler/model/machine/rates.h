// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The limits of a machine for lower bounds of a time: rates that no program exceeds, latencies that none
// undercuts. They are the fastest samples, relaxed, because another run may be a little faster still.
//
//   const Rates rates = ratesOf(machine);
//   rates.instructions(ResourceKind::FmaF64, Scope::Unit)   =>  1.05 x the best sample, per second
//   rates.latency(ResourceKind::FmaF64)                     =>  0.95 x the best sample, in seconds
//
// A rate that the machine's file does not have follows from one that it has, if that is still a limit: of a
// unit from that of the machine, of the machine from that of its units, numbers from instructions of the widest
// vectors. If there is none, the call throws Problem with the figure and how to measure it. Copies are cheap
// enough, and no call searches. The clock is part of each rate: a processor that was measured beside other work
// may later have a higher one, and then needs to be measured again. Source: lower-bound-search.md 5.1, 5.4 (trap 3), 5.7.
#pragma once
#include "compiler/model/machine/machine.h"

#include <array>

namespace pbc::model {

inline constexpr double kRateMargin = 1.05, kLatencyMargin = 0.95;

class Rates {
public:
  /// Hz: the highest that was seen, not relaxed.
  double clock() const;

  /// Per second, of one lane, of one unit, or of all units together.
  double instructions(ResourceKind, Scope) const;
  double numbers(ResourceKind, Scope) const;
  /// Seconds from the operands to the result.
  double latency(ResourceKind) const;

  /// Bytes per second of a memory, by its place in Machine::memories, as one unit or all of them read it.
  double bytes(std::size_t memory, Scope) const;
  /// Bytes per second that one unit reads and writes together where both are as many; nothing if it was not measured.
  std::optional<double> copiedBytes(std::size_t memory) const { return memories_.at(memory).copied; }
  /// The same by instructions that store past the caches.
  std::optional<double> streamedBytes(std::size_t memory) const { return memories_.at(memory).streamed; }
  /// Seconds from a load to its use.
  double latency(std::size_t memory) const;

  /// Seconds: of a barrier, and to start a kernel or threads.
  double barrier() const;
  double launch() const;

private:
  friend Rates ratesOf(const Machine &);
  using Levels = std::array<std::optional<double>, 3>; // by Scope
  struct OfResource {
    Levels instructions, numbers;
    std::optional<double> latency;
  };
  struct OfMemory {
    std::string name;
    Levels bytes;
    std::optional<double> copied, streamed, latency;
  };
  double known(const std::optional<double> &, const std::string &figure) const;

  std::string machine_, command_; // its name; how to measure it
  std::optional<double> clock_, barrier_, launch_;
  std::array<OfResource, kResourceKinds> resources_;
  std::vector<OfMemory> memories_;
};

Rates ratesOf(const Machine &);

} // namespace pbc::model
