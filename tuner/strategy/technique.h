// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One way of proposing configurations. A technique is asked for one proposal at a time and told the outcome;
// measuring, keeping the best and watching the time are done elsewhere.
//
//   technique.begin(situation)                        a new size: its members are measured
//   technique.propose(situation)  -> {child, parent}  or nothing: it has no more proposals at this size
//   technique.told(situation, proposal, outcome)      {seconds 0.031, better}; also for proposals of others
//
// Invariant: proposals fit the space. A technique never measures and draws all random numbers from the
// situation, so the same seed gives the same search (requirement 86). Techniques can be combined, because
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

/// The state of the search.
struct Situation {
  Tester &tester;
  Population &population; // measured at this size; never empty
  int size = 0;
  bool isFirstSize = true; // nothing has been decided for smaller sizes
  Random &random;

  const ProgramSpace &space() const { return tester.space(); }
  long n() const { return tester.sizes()[static_cast<std::size_t>(size)].n; }
  const Configuration &best() const { return population.best(size).configuration; }
};

struct Proposal {
  Configuration configuration;
  Configuration
      parent; // to be beaten; what differs from it is suspected after a failure. If unknown: the best
  bool isFreeToSlow = false; // becomes a member if it runs at all: a new start
};

struct Outcome {
  bool isNew = false;            // it was measured; false: known already, or it uses something banned
  std::optional<double> seconds; // nothing: not measured or rejected
  std::optional<double> limit;   // it was stopped after this many seconds, so it is slower than that
  bool isBetter = false;         // than its parent, so it is a member now
  bool isBest = false;           // of all members
};

/// How much of a finite set a technique has gone through.
struct Coverage {
  std::uint64_t proposed = 0, points = 0;
  std::string grid; // describes the grid, and so what it leaves out
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
