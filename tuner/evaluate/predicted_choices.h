// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The choices of a program that a model predicts to be the fastest: which alternative the main transform takes, and by which schedule each of its
// rules runs.
//
//   down: across 2 ms, down 3 ms, by cpu:wide 1 ms; direct: 4 ms  =>  { down, place_down = cpu:wide }, 1.33 times as fast as { direct }
//
// Predictions are for one thread of the processor, at one size; an alternative of which a rule is not predicted is left out.
#pragma once
#include "tuner/evaluate/lower_bounds.h"
#include "tuner/strategy/predicted_seeds.h"

namespace pbc::tuner {

/// At most so many, the fastest first; none that is not predicted to be faster than the default.
std::vector<PredictedSeed> predictedChoices(const ProgramSpace &, const TransformBounds &, long n,
                                            std::size_t most);

} // namespace pbc::tuner
