// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What was rejected and what is to blame, from the trials alone.
//
//   Blame blame = blameIn(space, recording);
//   blame.bans.faults()  ->  {"Sort with BadSort": ended by signal 11 at n >= 64, 3 times}
//
// The tuner compares a child with its parent (strategy/bans.h); the journal has no parents. Here the parent
// is the configuration that differs least among those that had worked at that size or below it, the default
// to begin with.
#pragma once
#include "tuner/report/recording.h"
#include "tuner/strategy/bans.h"

namespace pbc::tuner {

struct Blame {
  Bans bans;
  std::vector<Fault> faults; // what is wrong first, what is slow last; by size
};

Blame blameIn(const ProgramSpace &, const Recording &);

} // namespace pbc::tuner
