// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tries only what is known beforehand: the default, each alternative alone, the stored configuration, and
// what the journal says was best at other sizes or on other machines (seeding.h). All strategies start from
// these; this one stops there.
#include "tuner/strategy/techniques/techniques.h"

namespace pbc::tuner {
namespace {

class Nothing : public Technique {
public:
  std::optional<Proposal> propose(const Situation &) override { return {}; }
};

} // namespace

const Strategy kSeeding{"seeding",
                        "each alternative alone, and what was best elsewhere; nothing new",
                        true,
                        false,
                        {},
                        [](const StrategyValues &) -> std::unique_ptr<Technique> {
                          return std::make_unique<Nothing>(); }};

} // namespace pbc::tuner
