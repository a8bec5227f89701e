// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Several techniques take turns, and each is told what the others found. Techniques that have found
// improvements lately are asked more often: a multi-armed bandit whose credit is the area under the curve of
// improvements. The credits need many turns; therefore at each size the model leads, which makes the best use
// of few trials, until it has found nothing for a while.
//
//   history of one  - + - - + +   ->  credit: sum of i over its improvements, i counted from the oldest,
//                                     divided by the sum of all i
//   next: the one with the largest    credit + C sqrt(2 ln(all turns) / its turns)
//
// Source: OpenTuner, PACT'14, section 4.2 (AUC credit, window 500, C = 0.05).
#include "tuner/strategy/techniques/techniques.h"

#include <cmath>
#include <deque>

namespace pbc::tuner {
namespace {

class Bandit : public Technique {
public:
  /// The first of the arms leads until so many of its proposals (`patience`) have found nothing.
  Bandit(std::vector<std::unique_ptr<Technique>> arms, double curiosity, std::size_t window, int patience)
      : arms_(std::move(arms)), curiosity_(curiosity), window_(window), patience_(patience) {}

  void begin(const Situation &at) override {
    hasMore_.assign(arms_.size(), true);
    fruitless_ = 0;
    asked_ = arms_.size(); // results that are told first were measured before
    for (const auto &arm : arms_)
      arm->begin(at);
  }

  std::optional<Proposal> propose(const Situation &at) override {
    for (;;) {
      const std::size_t arm = choose();
      if (arm == arms_.size())
        return {};
      asked_ = arm;
      if (auto proposal = arms_[arm]->propose(at))
        return proposal;
      hasMore_[arm] = false;
    }
  }

  void told(const Situation &at, const Proposal &proposal, const Outcome &outcome) override {
    if (asked_ < arms_.size()) {
      const bool isImprovement = outcome.isBetter && outcome.isBest;
      history_.push_back({asked_, isImprovement});
      if (fruitless_ < patience_)
        fruitless_ = isImprovement ? 0 : fruitless_ + 1;
      if (history_.size() > window_)
        history_.pop_front();
    }
    asked_ = arms_.size();
    for (const auto &arm : arms_)
      arm->told(at, proposal, outcome);
  }

private:
  struct Turn {
    std::size_t arm;
    bool isImprovement;
  };

  /// Returns arms_.size() if no arm has further proposals.
  std::size_t choose() const {
    if (fruitless_ < patience_ && hasMore_.front())
      return 0;
    std::vector<double> turns(arms_.size(), 0), gained(arms_.size(), 0);
    for (const Turn &turn : history_) {
      ++turns[turn.arm];
      gained[turn.arm] += turn.isImprovement ? turns[turn.arm] : 0;
    }
    std::size_t best = arms_.size();
    double most = -1;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      if (!hasMore_[arm])
        continue;
      const double value =
          turns[arm] == 0
              ? 1e9
              : 2 * gained[arm] / (turns[arm] * (turns[arm] + 1)) +
                    curiosity_ * std::sqrt(2 * std::log(static_cast<double>(history_.size())) / turns[arm]);
      if (value > most) {
        most = value;
        best = arm;
      }
    }
    return best;
  }

  std::vector<std::unique_ptr<Technique>> arms_;
  const double curiosity_;
  const std::size_t window_;
  const int patience_;
  // Unsuccessful proposals of the leader at this size; after `patience_` of them another arm may lead.
  int fruitless_ = 0;
  std::vector<bool> hasMore_; // at this size
  std::deque<Turn> history_;
  std::size_t asked_ = 0;
};

constexpr StrategyOption kEnsembleOptions[] = {
    {"curiosity", "how often those are asked that have not found anything lately", 0.05, 0, 10},
    {"window", "turns that are remembered", 500, 10, 1e6},
    {"patience", "proposals of the model that bring nothing before others have their turns", 40, 0, 1e6},
    {"children", "mutations at each size; 0: 20, and 20 for each open decision", 0, 0, 1e6}};

} // namespace

const Strategy kEnsemble{"ensemble",
                         "evolution, descent, model and chance take turns and share what they find",
                         true,
                         false,
                         kEnsembleOptions,
                         [](const StrategyValues &values) -> std::unique_ptr<Technique> {
                           std::vector<std::unique_ptr<Technique>> arms;
                           arms.push_back(makeSurrogate({}));
                           arms.push_back(makeEvolution(static_cast<int>(values.at("children"))));
                           arms.push_back(makeDescent(1000, 2));
                           arms.push_back(makeSampling());
                           return std::make_unique<Bandit>(std::move(arms), values.at("curiosity"),
                                                           static_cast<std::size_t>(values.at("window")),
                                                           static_cast<int>(values.at("patience")));
                         }};

} // namespace pbc::tuner
