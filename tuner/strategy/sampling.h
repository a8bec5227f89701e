// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A random configuration from the whole space.
//
//   sample(space, bans, n = 4096, random)   ->  {n<23: Insertion, n<901: Quick, else Merge}, block 171
//
// Half of the selectors have one level, a quarter two, ...; cut-offs and size-like tunables are distributed
// uniformly on a logarithmic scale. Invariant: the result fits the space; decisions that are not open at n
// are as in the defaults. Source: own.
#pragma once
#include "tuner/strategy/bans.h"
#include "tuner/strategy/random.h"

namespace pbc::tuner {

Configuration sample(const ProgramSpace &, const Bans &, long n, Random &);

} // namespace pbc::tuner
