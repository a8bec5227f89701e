// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random ways down to a leaf, for tests.
#pragma once
#include "compiler/search/state.h"
#include <algorithm>
#include <bit>
#include <random>
#include <vector>

namespace pbc::search {

/// Decides a variable; false: nothing is left then.
inline bool decideAtRandom(State &state, int variable, std::mt19937_64 &random) {
  Domain rest = state.domain(variable);
  for (auto skip = random() % std::uint64_t(std::popcount(rest)); skip > 0; --skip)
    rest &= rest - 1;
  return state.decide(variable, unsigned(std::countr_zero(rest)));
}

/// Random decisions in a random order until nothing is open; false: nothing was left. Calls `each` after every one.
template <class Each>
bool descend(State &state, std::mt19937_64 &random, const Each &each) {
  std::vector<int> variables(state.domains().size());
  for (std::size_t v = 0; v < variables.size(); ++v)
    variables[v] = int(v);
  std::shuffle(variables.begin(), variables.end(), random);
  for (const int v : variables) {
    if (state.isDecided(v))
      continue;
    if (!decideAtRandom(state, v, random))
      return false;
    each();
  }
  return true;
}
inline bool descend(State &state, std::mt19937_64 &random) {
  return descend(state, random, [] {});
}

} // namespace pbc::search
