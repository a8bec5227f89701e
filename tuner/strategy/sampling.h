// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A configuration by chance, anywhere in the space.
//
//   sample(space, bans, n = 4096, random)   ->  {n<23: Insertion, n<901: Quick, else Merge}, block 171
//
// Half of the selectors have one level, a quarter two, ...; cut-offs and size-like tunables are as likely
// below as above each factor of two. Invariant: it fits the space; what is not open at n is as in the
// defaults. Source: own.
#pragma once
#include "tuner/strategy/bans.h"
#include "tuner/strategy/random.h"

namespace pbc::tuner {

Configuration sample(const ProgramSpace &, const Bans &, long n, Random &);

} // namespace pbc::tuner
