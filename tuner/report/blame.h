// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Finds what was rejected and which decision caused it, from the trials alone.
//
//   Blame blame = blameIn(space, recording);
//   blame.bans.faults()  ->  {"Sort with BadSort": ended by signal 11 at n >= 64, 3 times}
//
// The tuner compares a child with its parent (strategy/bans.h), but the journal has no parents. Here the
// parent is the configuration that differs least among those that had worked at that size or below it; at
// first, this is the default.
#pragma once
#include "tuner/report/recording.h"
#include "tuner/strategy/bans.h"

namespace pbc::tuner {

struct Blame {
  Bans bans;
  std::vector<Fault> faults; // wrong ones first, slow ones last; by size
};

Blame blameIn(const ProgramSpace &, const Recording &);

} // namespace pbc::tuner
