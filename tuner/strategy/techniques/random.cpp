// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Uniform samples: the baseline for every other strategy, and a source of variety for them.
#include "tuner/strategy/sampling.h"
#include "tuner/strategy/techniques/techniques.h"

namespace pbc::tuner {
namespace {

class Sampling : public Technique {
public:
  std::optional<Proposal> propose(const Situation &at) override {
    return Proposal{sample(at.space(), at.tester.bans(), at.n(), at.random), at.best()};
  }
};

} // namespace

std::unique_ptr<Technique> makeSampling() { return std::make_unique<Sampling>(); }

const Strategy kRandom{"random", "configurations by chance, at the full size: for comparison", false, false,
                       {},       [](const StrategyValues &) { return makeSampling(); }};

} // namespace pbc::tuner
