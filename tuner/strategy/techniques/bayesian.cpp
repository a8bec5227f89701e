// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A technique for few trials. A model of the times measured so far predicts how much faster than the best a
// candidate may be (expected improvement, of logarithms); a second model predicts how likely it runs at all.
// The candidate with the largest product is proposed. Candidates are samples, children of the best few, and
// neighbours of the best.
//
// A candidate that was stopped at its limit is slower than that: it is learnt with a time a little beyond.
// One that crashed or gave wrong results has no time: only the second model learns from it. Proposals take
// less than 5 ms (bench/tuner prints it). Source: SMAC (Hutter et al. 2011); hidden constraints as in BaCO
// (arXiv 2212.11142); docs/decisions/0025.
#include "tuner/strategy/encoding.h"
#include "tuner/strategy/forest.h"
#include "tuner/strategy/mutators.h"
#include "tuner/strategy/neighbours.h"
#include "tuner/strategy/sampling.h"
#include "tuner/strategy/techniques/techniques.h"

#include <cmath>
#include <set>

namespace pbc::tuner {
namespace {

// A factor on the limit: the time that is assumed for candidates that were stopped there.
constexpr double kBeyondLimit = 1.3;

double expectedImprovement(double best, const Estimate &estimate) {
  const double deviation = std::max(estimate.deviation, 1e-3);
  const double z = (best - estimate.mean) / deviation;
  const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  return deviation * (z * below + density);
}

class Surrogate : public Technique {
public:
  explicit Surrogate(const SurrogateSettings &settings) : settings_(settings) {}

  void begin(const Situation &at) override {
    encoding_.emplace(at.space(), at.n());
    rows_.clear();
    times_.clear();
    known_.clear();
    allRows_.clear();
    runs_.clear();
    failures_ = proposals_ = 0;
    learnt_ = 0;
    time_.reset();
    feasible_.reset();
    near_.clear();
  }

  std::optional<Proposal> propose(const Situation &at) override {
    ++proposals_;
    const int design = std::clamp(at.space().openDecisions(), 2, 10);
    const bool isByChance =
        static_cast<int>(rows_.size()) < design || proposals_ % std::max(settings_.explore, 2) == 0;
    if (!isByChance)
      if (auto chosen = mostPromising(at))
        return Proposal{*chosen, at.best()};
    return Proposal{sample(at.space(), at.tester.bans(), at.n(), at.random), at.best()};
  }

  void told(const Situation &at, const Proposal &proposal, const Outcome &outcome) override {
    if (!outcome.isNew || !known_.insert(proposal.configuration.key()).second)
      return;
    const std::vector<float> row = encoding_->row(proposal.configuration);
    const bool isTimed = outcome.seconds || outcome.limit;
    if (isTimed) {
      rows_.push_back(row);
      times_.push_back(
          std::log(std::max(outcome.seconds ? *outcome.seconds : *outcome.limit * kBeyondLimit, 1e-9)));
    }
    allRows_.push_back(row);
    runs_.push_back(isTimed ? 1 : 0);
    failures_ += !isTimed;
    (void)at;
  }

private:
  void learn(const Situation &at) {
    // The model is learnt again for each new result as long as that is cheap, later after every 5 % more
    // results.
    if (time_ && allRows_.size() - learnt_ < 1 + allRows_.size() / 20)
      return;
    learnt_ = allRows_.size();
    time_.emplace(rows_, times_, ForestSettings{settings_.trees}, at.random);
    feasible_.reset();
    if (failures_ > 0)
      feasible_.emplace(allRows_, runs_, ForestSettings{settings_.trees / 2 + 1}, at.random);
  }

  std::vector<Configuration> candidates(const Situation &at) {
    std::vector<Configuration> found;
    const int third = settings_.candidates / 3;
    for (int i = 0; i < third; ++i)
      found.push_back(sample(at.space(), at.tester.bans(), at.n(), at.random));
    std::vector<const Configuration *> parents{&at.best()};
    for (const Candidate &member : at.population.members())
      if (parents.size() < 5 && member.configuration != *parents.front())
        parents.push_back(&member.configuration);
    for (int i = 0; i < third; ++i) {
      const Configuration &parent = *parents[i % 2 ? 0 : at.random.below(parents.size())];
      if (auto child = mutate(at.space(), at.tester.bans(), parent, at.n(), at.random))
        found.push_back(std::move(*child));
    }
    if (neighboursOf_ != at.best() || near_.empty()) {
      neighboursOf_ = at.best();
      near_ = neighbours(at.space(), at.tester.bans(), neighboursOf_, at.n());
    }
    for (int i = 0; i < third && !near_.empty(); ++i)
      found.push_back(near_[at.random.below(near_.size())]);
    return found;
  }

  std::optional<Configuration> mostPromising(const Situation &at) {
    learn(at);
    const double best = *std::min_element(times_.begin(), times_.end());
    std::vector<Configuration> all = candidates(at);
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::vector<float> row = encoding_->row(all[i]);
      double value = expectedImprovement(best, time_->predict(row));
      if (feasible_)
        value *= std::clamp(feasible_->predict(row).mean, 0.0, 1.0);
      order.emplace_back(-value, i);
    }
    std::sort(order.begin(), order.end());
    for (const auto &[value, i] : order)
      if (!known_.contains(all[i].key()))
        return all[i];
    return {};
  }

  const SurrogateSettings settings_;
  std::optional<Encoding> encoding_;
  std::vector<std::vector<float>> rows_, allRows_; // those with times; all, including those that do not run
  std::vector<double> times_, runs_;               // logarithms; 1 or 0
  std::set<std::string> known_;
  std::optional<Forest> time_, feasible_;
  std::size_t learnt_ = 0;
  int failures_ = 0, proposals_ = 0;
  Configuration neighboursOf_;
  std::vector<Configuration> near_;
};

constexpr StrategyOption kBayesianOptions[] = {
    {"trees", "of the model of times", 48, 2, 500},
    {"candidates", "looked at for each proposal", 60, 10, 10000},
    {"explore", "of so many proposals, one is by chance", 5, 2, 1e6}};

} // namespace

std::unique_ptr<Technique> makeSurrogate(const SurrogateSettings &settings) {
  return std::make_unique<Surrogate>(settings);
}

const Strategy kBayesian{"bayesian",
                         "a model of the times says what to try: for few trials",
                         false,
                         false,
                         kBayesianOptions,
                         [](const StrategyValues &values) {
                           return makeSurrogate({static_cast<int>(values.at("trees")),
                                                 static_cast<int>(values.at("candidates")),
                                                 static_cast<int>(values.at("explore"))});
                         }};

} // namespace pbc::tuner
