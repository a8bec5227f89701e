// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Descends by single steps (neighbours.h): the first one that is faster is taken. If none is, steps at
// smaller sizes are tried, which matter only through recursion. If these do not help either, the search
// starts again from the best configuration with several random changes, which counts even if it is slower,
// because it may lead to a better local optimum. Source: own; iterated local search is among the best on
// kernel spaces (tuning-practice.md 8).
#include "tuner/strategy/mutators.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/techniques/techniques.h"

namespace pbc::tuner {
namespace {

class Descent : public Technique {
public:
  Descent(int restarts, int kicks) : restarts_(restarts), kicks_(kicks) {}

  void begin(const Situation &at) override {
    left_ = restarts_;
    start(at, at.best());
  }

  std::optional<Proposal> propose(const Situation &at) override {
    for (;;) {
      if (next_ < steps_.size())
        return Proposal{steps_[next_++], current_};
      if (band_ > 0) {
        lookAtBand(at);
      } else if (hasMoved_) {
        start(at, current_);
      } else {
        if (left_-- <= 0)
          return {};
        if (auto disturbed = kick(at))
          return disturbed;
      }
    }
  }

  void told(const Situation &at, const Proposal &proposal, const Outcome &outcome) override {
    if (isKicked_ && proposal.configuration == kicked_) {
      isKicked_ = false;
      if (outcome.seconds)
        start(at, kicked_);
      return;
    }
    const bool isOwn = proposal.parent == current_;
    if (!outcome.isBetter || !(isOwn || outcome.isBest))
      return;
    current_ = proposal.configuration;
    if (!isOwn || !isInBands_) {
      start(at, current_);
      return;
    }
    hasMoved_ = true; // on to the next band, from here
    steps_.clear();
    next_ = 0;
  }

private:
  void start(const Situation &at, const Configuration &from) {
    current_ = from;
    steps_ = neighbours(at.space(), at.tester.bans(), current_, at.n());
    next_ = 0;
    band_ = at.n();
    isInBands_ = hasMoved_ = false;
  }

  void lookAtBand(const Situation &at) {
    isInBands_ = true;
    steps_ = bandChanges(at.space(), at.tester.bans(), current_, band_);
    next_ = 0;
    band_ /= 2;
  }

  std::optional<Proposal> kick(const Situation &at) {
    Configuration disturbed = at.best();
    for (int i = 0; i < kicks_; ++i)
      if (auto next = mutate(at.space(), at.tester.bans(), disturbed, at.n(), at.random))
        disturbed = *next;
    if (disturbed == at.best())
      return {};
    kicked_ = disturbed;
    isKicked_ = true;
    return Proposal{disturbed, at.best(), true};
  }

  const int restarts_, kicks_;
  int left_ = 0;
  Configuration current_, kicked_;
  bool isKicked_ = false;
  std::vector<Configuration> steps_; // from `current_`, in this order
  std::size_t next_ = 0;
  long band_ = 0; // the next band; 0: none is left
  bool isInBands_ = false, hasMoved_ = false;
};

constexpr StrategyOption kLocalOptions[] = {
    {"restarts", "new starts at each size, when no step is faster any more", 1000, 0, 1e6},
    {"kicks", "mutations between the best and a new start", 2, 1, 20}};

} // namespace

std::unique_ptr<Technique> makeDescent(int restarts, int kicks) {
  return std::make_unique<Descent>(restarts, kicks);
}

const Strategy kLocal{"local",
                      "downhill by single steps, with new starts",
                      true,
                      false,
                      kLocalOptions,
                      [](const StrategyValues &values) {
                        return makeDescent(static_cast<int>(values.at("restarts")),
                                           static_cast<int>(values.at("kicks")));
                      }};

} // namespace pbc::tuner
