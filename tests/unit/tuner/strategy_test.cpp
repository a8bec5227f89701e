// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every strategy of the table on programs that are formulas: budgets, reproducibility, and the strengths of
// each.
#include "tests/unit/sanitized.h"
#include "tests/unit/tuner/synthetic.h"
#include "tuner/space/grid.h"
#include "tuner/strategy/forest.h"
#include "tuner/strategy/sampling.h"
#include "tuner/strategy/strategy.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::HasSubstr;

/// A block size, a share and an alternative; a region of it crashes.
struct Cliff : Evaluator {
  ProgramSpace space;
  std::vector<TestSize> sizes{{"n=1024", 1024, 0}};
  int requests = 0, crashes = 0;
  std::vector<std::string> history;

  Cliff() {
    space.program = space.main = "Cliff";
    Site site{"Cliff", "Cliff", "", {}};
    for (const char *name : {"A", "B", "C"})
      site.alternatives.push_back({name, ""});
    space.sites.push_back(site);
    space.tunables.push_back({"Cliff", "block", "", true, true, 8, 1, 4096});
    space.tunables.push_back({"Cliff", "share", "", true, false, 0, 0, 8});
  }
  static double truth(const Configuration &c) {
    const double block = std::log2(c.tunables()[0] / 256);
    return 1e-3 * (1 + (c.selectors()[0].select(1024) == 1 ? 0 : 1) + 0.1 * block * block +
                   0.1 * std::abs(c.tunables()[1] - 5));
  }
  static bool isBeyond(const Configuration &c) {
    return c.selectors()[0].select(1024) == 2 || c.tunables()[0] > 1024;
  }
  Measurement measure(const Request &request) override {
    ++requests;
    history.push_back(request.configuration.key());
    if (isBeyond(request.configuration)) {
      ++crashes;
      return {{}, Rejected{Failure::Crash, "ended by signal 11"}};
    }
    return {std::vector<double>(static_cast<std::size_t>(request.trials), truth(request.configuration)), {}};
  }
  double elapsed() const override { return requests * 1e-3; }
  bool stopped() const override { return false; }
};

TuneResult run(Cliff &cliff, const std::string &strategy, int trials, std::uint64_t seed) {
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1e6;
  settings.trials = trials;
  settings.seed = seed;
  settings.strategy = parseStrategy(strategy);
  return tune(cliff.space, cliff.sizes, {}, settings, cliff, silent);
}

struct EachStrategy : testing::TestWithParam<const Strategy *> {};

/// With some of these seeds the last trial begins a comparison, or is the last one that was too slow.
TEST_P(EachStrategy, KeepsItsBudget) {
  for (const int trials : {20, 60})
    for (int seed = 0; seed < (kSanitized ? 5 : 50); ++seed) {
      Cliff cliff;
      const TuneResult result = run(cliff, GetParam()->name, trials, static_cast<std::uint64_t>(seed));
      ASSERT_LE(result.measurements, trials) << "seed " << seed;
      ASSERT_FALSE(Cliff::isBeyond(result.best)) << "seed " << seed;
    }
}

TEST_P(EachStrategy, IsTheSameForTheSameSeed) {
  Cliff first, second, other;
  const TuneResult result = run(first, GetParam()->name, 60, 3);
  run(second, GetParam()->name, 60, 3);
  run(other, GetParam()->name, 60, 4);
  EXPECT_TRUE(result.best.fits(first.space));
  EXPECT_FALSE(Cliff::isBeyond(result.best));
  EXPECT_LE(Cliff::truth(result.best), Cliff::truth(Configuration::defaults(first.space)));
  EXPECT_EQ(result.strategy, GetParam()->name);
  EXPECT_EQ(result.coverage.has_value(), GetParam()->isComplete);
  EXPECT_EQ(first.history, second.history);
  // Others begin with deliberate steps.
  if (const std::string name = GetParam()->name;
      name == "random" || name == "bayesian" || name == "exhaustive") {
    EXPECT_NE(first.history, other.history);
  }
}

TEST_P(EachStrategy, OptionsHaveTheirDefaultsInRange) {
  for (const StrategyOption &option : GetParam()->options) {
    EXPECT_LE(option.minimum, option.initial) << option.name;
    EXPECT_LE(option.initial, option.maximum) << option.name;
    EXPECT_THAT(strategyHelp(), HasSubstr(option.doc));
  }
  EXPECT_THAT(strategyHelp(), HasSubstr(GetParam()->doc));
}

INSTANTIATE_TEST_SUITE_P(All, EachStrategy, testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto &test) { return std::string(test.param->name); });

double meanOf(const std::string &strategy, int trials, int seeds, int *crashes = nullptr) {
  double sum = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Cliff cliff;
    sum += std::log(Cliff::truth(run(cliff, strategy, trials, static_cast<std::uint64_t>(seed)).best) / 1e-3);
    if (crashes)
      *crashes += cliff.crashes;
  }
  return std::exp(sum / seeds);
}

/// Measured with these seeds: 1.01 and 1.14; 126 and 351 crashes.
TEST(Strategy, AModelFindsMoreThanChanceAndLearnsWhatCrashes) {
  int ofModel = 0, ofChance = 0;
  const double model = meanOf("bayesian", 50, 20, &ofModel);
  const double chance = meanOf("random", 50, 20, &ofChance);
  EXPECT_LT(model, 1.06);
  EXPECT_LT(model, chance);
  EXPECT_LT(2 * ofModel, ofChance);
}

TEST(Strategy, AnEnsembleIsAsGoodAsItsMembers) {
  const std::vector<int> budgets = kSanitized ? std::vector{25} : std::vector{25, 40, 150};
  for (const int trials : budgets) { // with few of them there is no time to learn which technique to ask
    const double ensemble = meanOf("ensemble", trials, 20);
    for (const char *member : {"evolutionary", "local", "bayesian", "random"})
      EXPECT_LE(ensemble, 1.05 * meanOf(member, trials, 20)) << member << " with " << trials;
  }
}

TEST(Strategy, ExhaustiveMeasuresEveryPointOfItsGridOnce) {
  Cliff cliff;
  const Grid grid = finestGrid(cliff.space, 1024, 200);
  ASSERT_LE(grid.size(), 200u);
  const TuneResult result = run(cliff, "exhaustive:points=200", 100000, 1);
  ASSERT_TRUE(result.coverage);
  EXPECT_EQ(result.coverage->proposed, result.coverage->points);
  EXPECT_EQ(result.coverage->points, grid.size());
  double best = 1;
  for (std::uint64_t i = 0; i < grid.size(); ++i) {
    const Configuration point = grid.at(i);
    const bool isBanned =
        point.selectors()[0].usedUpTo(1024) != std::vector<int>{point.selectors()[0].select(1024)} ||
        Cliff::isBeyond(point);
    if (!isBanned) {
      best = std::min(best, Cliff::truth(point));
      EXPECT_THAT(cliff.history, testing::Contains(point.key()));
    }
  }
  EXPECT_LE(Cliff::truth(result.best), best) << "polishing may go beyond the grid";
}

TEST(Strategy, WithTooFewTrialsExhaustiveSaysHowMuchItSaw) {
  Cliff cliff;
  const TuneResult result = run(cliff, "exhaustive:points=200", 40, 1);
  ASSERT_TRUE(result.coverage);
  EXPECT_LT(result.coverage->proposed, result.coverage->points);
  EXPECT_GT(result.coverage->proposed, 10u);
}

TEST(Strategy, IsChosenByBudget) {
  Cliff cliff; // three open decisions
  EXPECT_STREQ(chooseStrategy(cliff.space, {}).strategy->name, "evolutionary");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.trials = 120}).strategy->name, "bayesian");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.trials = 121}).strategy->name, "evolutionary");
  // 60 s for runs of 0.6 s, or of 0.4 s; a number of trials, if given, decides alone.
  EXPECT_STREQ(chooseStrategy(cliff.space, {.deadline = 60}, 0.6).strategy->name, "bayesian");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.deadline = 60}, 0.4).strategy->name, "evolutionary");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.deadline = 60}, 1e-6).strategy->name, "evolutionary");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.deadline = 60, .trials = 121}, 10).strategy->name,
               "evolutionary");
  EXPECT_STREQ(chooseStrategy(cliff.space, {.trials = 60, .strategy = parseStrategy("local")}).strategy->name,
               "local");
}

std::string refusal(const std::string &text) {
  try {
    parseStrategy(text);
  } catch (const TunerError &problem) {
    return problem.what();
  }
  return "";
}

TEST(Strategy, WordsAreReadAndRefused) {
  const ChosenStrategy chosen = parseStrategy("bayesian:trees=50,explore=6");
  EXPECT_EQ(chosen.values.at("trees"), 50);
  EXPECT_EQ(chosen.values.at("explore"), 6);
  EXPECT_EQ(chosen.values.at("candidates"), 60);
  EXPECT_THAT(refusal("magic"), HasSubstr("there are evolutionary, "));
  EXPECT_THAT(refusal("local:trees=4"), HasSubstr("it has restarts, kicks"));
  EXPECT_THAT(refusal("random:x=4"), HasSubstr("this strategy has none"));
  for (const char *value : {"", "-1", "1e9", "nan", "4x"})
    EXPECT_THAT(refusal(std::string("local:kicks=") + value), HasSubstr("a number from 1 to 20")) << value;
  EXPECT_THAT(refusal("local:"), HasSubstr("no option ''"));
}

TEST(Strategy, AFewTrialsAreSpentAtTheFullSize) {
  const ProgramSpace space = syntheticSpace(3);
  const auto sizes = powersOfTwo(6, 12);
  struct Counting : Synthetic {
    using Synthetic::Synthetic;
    int atFull = 0;
    Measurement measure(const Request &request) override {
      atFull += request.size == 6;
      return Synthetic::measure(request);
    }
  } evaluator(space, sizes, 0, 1);
  Silent silent;
  TuneSettings settings;
  settings.deadline = 1e6;
  settings.trials = 25;
  settings.strategy = parseStrategy("evolutionary");
  tune(space, sizes, {}, settings, evaluator, silent);
  EXPECT_EQ(evaluator.atFull, evaluator.requests);
}

TEST(Deadline, APartOfTimeAndTrials) {
  const Deadline half = part({100.0, 1000}, 0.5, {20, 200});
  EXPECT_EQ(half.seconds, 60);
  EXPECT_EQ(half.measurements, 600);
  EXPECT_FALSE(part(100.0, 0.5, {20, 200}).hasTrials());
  EXPECT_EQ(part({100.0, 1000}, 0.5, {120, 1200}).seconds, 120) << "what is over stays over";
}

TEST(Grid, EveryPointIsItsOwnNearest) {
  Cliff cliff;
  for (const Grid::Fineness fineness : {Grid::Fineness{0, 2}, Grid::Fineness{1, 3}, Grid::Fineness{3, 9}}) {
    const Grid grid(cliff.space, 1024, fineness);
    std::set<std::string> keys;
    for (std::uint64_t i = 0; i < grid.size(); ++i) {
      ASSERT_TRUE(grid.at(i).fits(cliff.space));
      ASSERT_EQ(grid.nearest(grid.at(i)), i);
      keys.insert(grid.at(i).key());
    }
    EXPECT_EQ(keys.size(), grid.size());
    const Configuration defaults = Configuration::defaults(cliff.space);
    EXPECT_EQ(grid.at(grid.nearest(defaults)), defaults);
  }
}

TEST(Grid, WhatIsBetweenGoesToWhatDecidesAlike) {
  Cliff cliff;
  const Grid grid(cliff.space, 1024, {3, 5});
  const Configuration defaults = Configuration::defaults(cliff.space);
  const auto three = defaults.withSelector(0, *Selector::fromLevels({{3, 2}, {60, 0}, {kNoLimit, 1}}));
  EXPECT_EQ(grid.at(grid.nearest(three)).selectors()[0], *Selector::fromLevels({{64, 0}, {kNoLimit, 1}}));
  EXPECT_EQ(grid.at(grid.nearest(defaults.withTunable(0, 90))).tunables()[0], 64) << "nearest by factor";
}

TEST(Grid, FineAsTheNumberOfPointsAllows) {
  Cliff cliff;
  std::uint64_t before = 0;
  for (const std::uint64_t most : {30, 100, 1000, 100000}) {
    const Grid grid = finestGrid(cliff.space, 1024, most);
    EXPECT_LE(grid.size(), most);
    EXPECT_GT(grid.size(), before);
    before = grid.size();
  }
  ProgramSpace huge = cliff.space;
  for (int i = 0; i < 100; ++i)
    huge.tunables.push_back(huge.tunables.front());
  EXPECT_EQ(Grid(huge, 1024, {3, 9}).size(), Grid::kHuge);
  EXPECT_EQ(finestGrid(huge, 1024, 10).size(), 3u) << "no number but the default";
}

TEST(Sampling, FitsAndLeavesOutWhatIsBanned) {
  Cliff cliff;
  Bans bans;
  const Configuration defaults = Configuration::defaults(cliff.space);
  for (int i = 0; i < 3; ++i)
    bans.failed(cliff.space, defaults.withSelector(0, Selector(2)), defaults, {"", 64, 0},
                {Failure::Crash, ""});
  Random random(1);
  int small = 0, withLevels = 0;
  for (int i = 0; i < 2000; ++i) {
    const Configuration sampled = sample(cliff.space, bans, 1024, random);
    ASSERT_TRUE(sampled.fits(cliff.space));
    for (const Level &level : sampled.selectors()[0].levels())
      EXPECT_NE(level.use, 2);
    small += sampled.tunables()[0] < 64; // the middle of 1 to 4096, by factors
    withLevels += sampled.selectors()[0].levels().size() > 1;
  }
  EXPECT_NEAR(small, 1000, 100);
  EXPECT_GT(withLevels, 200);
}

TEST(Forest, LearnsAStepAndStaysInRange) {
  Random random(5);
  std::vector<std::vector<float>> rows;
  std::vector<double> targets;
  for (int i = 0; i < 200; ++i) {
    rows.push_back({static_cast<float>(random.unit()), static_cast<float>(random.unit()), 7});
    targets.push_back(rows.back()[0] < 0.5 ? 1 : 3);
  }
  const Forest forest(rows, targets, {}, random);
  EXPECT_NEAR(forest.predict({0.2F, 0.5F, 7}).mean, 1, 0.2);
  EXPECT_NEAR(forest.predict({0.8F, 0.5F, 7}).mean, 3, 0.2);
  EXPECT_GT(forest.predict({0.5F, 0.5F, 7}).deviation, forest.predict({0.1F, 0.5F, 7}).deviation);
  for (const float x : {-100.0F, 0.5F, 100.0F}) {
    EXPECT_GE(forest.predict({x, x, x}).mean, 1);
    EXPECT_LE(forest.predict({x, x, x}).mean, 3);
  }
  const Forest single({{}}, {2}, {}, random);
  EXPECT_EQ(single.predict({}).mean, 2) << "nothing is open: one row without columns";
}

} // namespace
} // namespace pbc::tuner
