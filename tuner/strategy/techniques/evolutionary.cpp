// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The search of the paper: children of random parents, made by the program's mutators (mutators.h). At each
// size deliberate steps come before random ones: the best member with every other alternative from about n
// on. What is below was decided at smaller sizes. At the first size nothing has been decided, so there the
// bands around n/2, n/4, ... follow. Source: petabricks-hetero 7.2, requirements 78-82.
#include "tuner/strategy/mutators.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/techniques/techniques.h"

namespace pbc::tuner {
namespace {

class Evolution : public Technique {
public:
  explicit Evolution(int children) : children_(children) {}

  void begin(const Situation &at) override {
    band_ = at.isFirstSize ? at.n() / 2 : 0;
    drawn_ = 0;
    parent_ = at.best();
    steps_ = topLevelChanges(at.space(), at.tester.bans(), parent_, at.n());
    next_ = 0;
  }

  std::optional<Proposal> propose(const Situation &at) override {
    for (;;) {
      if (next_ < steps_.size())
        return Proposal{steps_[next_++], parent_};
      if (band_ < 1)
        break;
      parent_ = at.best();
      steps_ = bandChanges(at.space(), at.tester.bans(), parent_, band_);
      next_ = 0;
      band_ /= 2;
    }
    const int most = children_ > 0 ? children_ : 20 + 20 * at.space().openDecisions();
    auto &members = at.population.members();
    while (drawn_ < most) {
      // Random parents keep variety; every second parent is the best, because most other lines end soon.
      const bool fromBest = drawn_++ % 2 != 0;
      const Configuration parent =
          fromBest ? at.best() : members[at.random.below(members.size())].configuration;
      if (const auto child = mutate(at.space(), at.tester.bans(), parent, at.n(), at.random))
        return Proposal{*child, parent};
    }
    return {};
  }

private:
  const int children_;
  long band_ = 0;
  int drawn_ = 0;
  Configuration parent_; // of the deliberate steps
  std::vector<Configuration> steps_;
  std::size_t next_ = 0;
};

constexpr StrategyOption kEvolutionaryOptions[] = {
    {"children", "mutations at each size; 0: 20, and 20 for each open decision", 0, 0, 1e6}};

} // namespace

std::unique_ptr<Technique> makeEvolution(int children) { return std::make_unique<Evolution>(children); }

const Strategy kEvolutionary{
    "evolutionary",
    "a population, mutated at growing sizes: what n/2 has found is used at n",
    true,
    true,
    kEvolutionaryOptions,
    [](const StrategyValues &values) { return makeEvolution(static_cast<int>(values.at("children"))); }};

} // namespace pbc::tuner
