// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How many implementations a space has.
//
//   countLeaves(root, {})  ->  51,252 of the example of section 3, from some thousand states
//
// Decisions that no constraint connects any more are independent of each other: their numbers are multiplied, and what has been
// counted once is looked up. So spaces are counted exactly that are far too large to be enumerated. Source of the idea: component
// caching in exact model counting (Sang, Bacchus, Beame, Kautz, Pitassi, SAT 2004).
#pragma once
#include "compiler/search/state.h"

namespace pbc::search {

struct CountOptions {
  long mostStates = 50'000'000;           // after so many states the count is given up
  std::size_t mostRemembered = 2'000'000; // parts whose number is kept
  int descents = 200;                     // of an estimate
};

struct Count {
  long double leaves = 0; // exact up to 2^63
  bool isExact = true;
  long states = 0; // how many were looked at
};

/// The state has to be propagated; it is as before afterwards. An estimate (isExact = false) comes from random descents
/// (Knuth, Mathematics of Computation 1975).
Count countLeaves(State &, const CountOptions &);

/// Calls `leaf` for each implementation. False from it ends the enumeration.
template <class Leaf>
bool enumerate(State &state, const Leaf &leaf) {
  if (state.isComplete())
    return leaf(state);
  int variable = 0;
  while (state.isDecided(variable))
    ++variable;
  for (unsigned value = 0; value < 32; ++value) {
    if ((state.domain(variable) >> value & 1u) == 0)
      continue;
    const State::Mark before = state.mark();
    const bool goesOn = !state.decide(variable, value) || enumerate(state, leaf);
    state.undo(before);
    if (!goesOn)
      return false;
  }
  return true;
}

} // namespace pbc::search
