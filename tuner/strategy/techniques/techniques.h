// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All strategies and those techniques that others are made of. Each is defined in the file of its name; when
// which is good: docs/tuning.md. A new strategy is its file and one line in list.inc.
#pragma once
#include "tuner/strategy/strategy.h"

namespace pbc::tuner {

#define STRATEGY(name) extern const Strategy name;
#include "tuner/strategy/techniques/list.inc"
#undef STRATEGY

/// Children of random members and of the best, by all mutators; first the deliberate steps. `children` at
/// each size; 0: 20 and 20 for each open decision.
std::unique_ptr<Technique> makeEvolution(int children);
/// Downhill from the best by single steps, then from `restarts` disturbed ones.
std::unique_ptr<Technique> makeDescent(int restarts, int kicks);
/// The proposal that a random forest expects most of.
struct SurrogateSettings {
  int trees = 48;
  int candidates =
      60;          // looked at for each proposal: of many, the first is the one that the model errs on most
  int explore = 5; // every so many proposals one by chance
};
std::unique_ptr<Technique> makeSurrogate(const SurrogateSettings &);
/// Uniform samples.
std::unique_ptr<Technique> makeSampling();

} // namespace pbc::tuner
