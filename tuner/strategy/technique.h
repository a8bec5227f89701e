// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One way of proposing configurations. It is asked for one at a time and told what came of it; who measures,
// who keeps the best and when time is over is not its business.
//
//   technique.begin(situation)                        a new size: its members are measured
//   technique.propose(situation)  -> {child, parent}  or nothing: it has nothing more to say at this size
//   technique.told(situation, proposal, outcome)      {seconds 0.031, better}; also of proposals of others
//
// Invariant: what is proposed fits the space. A technique never measures and draws all chance from the
// situation, so the same seed gives the same search (requirement 86). Techniques can be put together, for
// each is told what the others found: techniques/ensemble.cpp. Source: ask and tell as in OpenTuner
// (PACT'14); petabricks-hetero 7.2.
#pragma once
#include "tuner/strategy/population.h"
#include "tuner/strategy/random.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace pbc::tuner {

/// Where the search stands.
struct Situation {
  Tester &tester;
  Population &population; // measured at this size; never empty
  int size = 0;
  bool isFirstSize = true; // nobody has decided anything for smaller ones
  Random &random;

  const ProgramSpace &space() const { return tester.space(); }
  long n() const { return tester.sizes()[static_cast<std::size_t>(size)].n; }
  const Configuration &best() const { return population.best(size).configuration; }
};

struct Proposal {
  Configuration configuration;
  Configuration parent; // to be beaten; and its difference is to blame for a failure. If unknown: the best
  bool isFreeToSlow = false; // becomes a member if it only runs: a new start
};

struct Outcome {
  bool isNew = false;            // it was measured; false: known, or it uses something banned
  std::optional<double> seconds; // nothing: not measured or rejected
  std::optional<double> limit;   // it was stopped after this many seconds: slower than that
  bool isBetter = false;         // than its parent: it is a member now
  bool isBest = false;           // of all members
};

/// Of a technique that goes through a finite set.
struct Coverage {
  std::uint64_t proposed = 0, points = 0;
  std::string grid; // what it leaves out, in words
};

class Technique {
public:
  virtual ~Technique() = default;
  virtual void begin(const Situation &) {}
  virtual std::optional<Proposal> propose(const Situation &) = 0;
  virtual void told(const Situation &, const Proposal &, const Outcome &) {}
  virtual std::optional<Coverage> coverage() const { return {}; }
};

} // namespace pbc::tuner
