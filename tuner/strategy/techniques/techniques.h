// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All strategies, and the techniques that others are built from. Each is defined in the file of its name, and a new
// one is its file and one line in list.inc; docs/tuning.md says when which one is good.
#pragma once
#include "tuner/strategy/strategy.h"

namespace pbc::tuner {

#define STRATEGY(name) extern const Strategy name;
#include "tuner/strategy/techniques/list.inc"
#undef STRATEGY

/// Children of random members and of the best, by all mutators, after the deliberate steps. `children`: their
/// number at each size; 0: 20, and 20 more for each open decision.
std::unique_ptr<Technique> makeEvolution(int children);
/// Descends from the best by single steps, then from `restarts` randomly changed ones.
std::unique_ptr<Technique> makeDescent(int restarts, int kicks);
/// Proposes the configuration that a random forest predicts to be the most promising.
struct SurrogateSettings {
  int trees = 48;
  int candidates = 60; // evaluated for each proposal; with too many, the first is where the model errs most
  int explore = 5;     // one proposal out of so many is random
};
std::unique_ptr<Technique> makeSurrogate(const SurrogateSettings &);
/// Uniform samples.
std::unique_ptr<Technique> makeSampling();

} // namespace pbc::tuner
