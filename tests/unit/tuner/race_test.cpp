// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The final race of a tuning, with machines whose noise is known (tuning-practice.md 5; requirement 88).
#include "tests/unit/tuner/interrupted.h"
#include "tuner/evaluate/machine_noise.h"

#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

/// Alternative k takes seconds[k], with noise; `process` counts the processes.
struct Machine : Evaluator {
  Machine(std::vector<double> s, double n, std::uint64_t seed)
      : seconds(std::move(s)), noise(n), random(seed) {}
  Measurement measure(const Request &request) override {
    const int use = request.configuration.selectors()[0].select(0);
    asked.push_back(use);
    trusted.push_back(request.compared == Compared::Nothing);
    if (request.compared != Compared::Last)
      trials = std::max(trials, request.trials);
    now += seconds[static_cast<std::size_t>(use)];
    const double luck = process == 0 && use == lucky ? 0.8 : 1;
    Measurement result;
    for (int i = 0; i < request.trials; ++i)
      result.seconds.push_back(seconds[static_cast<std::size_t>(use)] * luck * random.lognormal(noise));
    return result;
  }
  bool renew() override { return ++process, true; }
  double elapsed() const override { return now; }
  bool stopped() const override { return false; }

  std::vector<double> seconds;
  double noise;
  Random random;
  double now = 0;
  int process = 0;
  int lucky = -1; // faster in the first process than it really is, because of the place of its memory
  std::vector<int> asked;
  std::vector<bool> trusted; // of the same requests
  int trials = 0;            // the most at once in a turn
};

class Race : public testing::Test {
protected:
  RaceResult run(Machine &machine, int previous = -1, double deadline = 1e6, Rounds kind = Rounds::InARow) {
    Silent silent;
    Tester tester(space_, {{"n=64", 64, machine.seconds[0]}}, machine, silent);
    std::vector<Configuration> candidates;
    for (int use = 1; use < static_cast<int>(machine.seconds.size()); ++use)
      candidates.push_back(with(use));
    const Configuration earlier = with(std::max(previous, 0));
    return race(tester, candidates, 0, deadline, previous >= 0 ? &earlier : nullptr, kind);
  }
  Configuration with(int use) const { return Configuration::defaults(space_).withSelector(0, Selector(use)); }
  static int use(const RaceResult &result) { return result.winner.selectors()[0].select(0); }

  ProgramSpace space_ = syntheticSpace(4);
};

TEST_F(Race, WhatIsEquallyFastDoesNotTakeThePreviousWinnersPlace) {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine machine({2, 1, 1}, 0.03, seed);
    const RaceResult result = run(machine, 2);
    EXPECT_TRUE(result.changed);
    kept += use(result) == 2;
  }
  EXPECT_GE(kept, 47); // 5 % of tests are wrong by construction
}

TEST_F(Race, WhatIsFasterTakesItsPlace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine({2, 1, 1.15}, 0.03, seed);
    const RaceResult result = run(machine, 2);
    EXPECT_EQ(use(result), 1);
    EXPECT_FALSE(result.keptPrevious);
    EXPECT_EQ(result.defaultTimes.size(), result.winnerTimes.size());
    EXPECT_GE(result.winnerTimes.size(), 10u);
  }
}

// Just when the race begins, the machine has no time for a second thread.
TEST_F(Race, ABadMomentIsWaitedOver) {
  struct Moody : Machine {
    using Machine::Machine;
    Measurement measure(const Request &request) override {
      seconds[1] = now > 1 && now < 3 ? 0.0105 : 0.008;
      return Machine::measure(request);
    }
    void pause(double length) override { now += length; }
  };
  const auto isFaster = [&](std::uint64_t seed, double deadline) {
    Moody moody({0.01, 0.01}, 0.03, seed);
    Silent silent;
    Tester tester(space_, {{"n=64", 64, 0.01}}, moody, silent);
    for (const int use : {0, 1}) {
      Candidate candidate{with(use), {}};
      tester.test(candidate, 0, 3, with(0));
    }
    moody.now = 1.01;
    const bool result = race(tester, {with(1)}, 0, deadline, nullptr, Rounds::Spread).changed;
    EXPECT_LT(moody.now, deadline + 1);
    return result;
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_TRUE(isFaster(seed, 9)) << seed;
    EXPECT_FALSE(isFaster(seed, 2)) << "there is no time to wait";
  }
}

TEST_F(Race, WhoLooksLongerDoesNotSeeMoreByChance) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Machine machine({0.01, 0.01}, 0.03, seed);
    changed += run(machine, -1, 1e6, Rounds::Spread).changed;
  }
  EXPECT_LE(changed, 15) << "5 % of each look, and there are several";
}

TEST_F(Race, ManyRivalsSeeNoMoreByChanceThanOne) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Machine machine({0.01, 0.01, 0.01, 0.01}, 0.03, seed);
    changed += run(machine, -1, 1e6, Rounds::Spread).changed;
  }
  EXPECT_LE(changed, 10) << "5 %";
}

TEST_F(Race, FewerRunWhereTimeIsShort) {
  const auto whoRuns = [&](int previous, double deadline) {
    Machine machine({2, 1, 1.1, 1.2}, 0.01, 1);
    EXPECT_EQ(use(run(machine, previous, deadline)), 1);
    return std::set<int>(machine.asked.begin(), machine.asked.end());
  };
  EXPECT_EQ(whoRuns(-1, 1e6), (std::set{0, 1, 2, 3}));
  EXPECT_EQ(whoRuns(-1, 12), (std::set{0, 1}));
  EXPECT_EQ(whoRuns(2, 12), (std::set{0, 1, 2})) << "and who was there before";
}

TEST_F(Race, WhereTheTimeIsOverWhoIsFarAheadNeedsFewRuns) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine far({5, 1}, 0.1, seed), near({5, 4}, 0.03, seed);
    const RaceResult ofFar = run(far, -1, 1);
    EXPECT_TRUE(ofFar.changed);
    EXPECT_EQ(far.asked.size(), 9u) << "three rounds of two, one more in another process, a last look";
    EXPECT_EQ(far.process, 2);
    EXPECT_GT(ofFar.defaultSeconds, 2 * ofFar.winnerSeconds);
    run(near, -1, 1);
    EXPECT_GE(near.asked.size(), 20u) << "five rounds, and five more";
  }
}

TEST_F(Race, APreviousWinnerThatIsSlowByNowIsNotKept) {
  Machine machine({1, 3, 0.5}, 0.02, 1);
  EXPECT_EQ(use(run(machine, 1)), 2);
  Machine slow({1, 3}, 0.02, 1);
  EXPECT_FALSE(run(slow, 1).changed);
}

TEST_F(Race, WhoBecomesWrongDoesNotWin) {
  struct Forgetful : Machine {
    using Machine::Machine;
    Measurement measure(const Request &request) override {
      if (request.compared == Compared::Last && request.configuration.selectors()[0].select(0) == 2)
        return {{}, Rejected{Failure::WrongResult, "gives a different result"}};
      return Machine::measure(request);
    }
  };
  Forgetful machine({4, 2, 1}, 0.01, 1);
  const RaceResult result = run(machine);
  EXPECT_EQ(use(result), 1);
  EXPECT_TRUE(result.isOneWrong);
  Forgetful alone({4, 5, 1}, 0.01, 1);
  EXPECT_FALSE(run(alone).changed);
}

TEST_F(Race, OfEquallyGoodOnesThePreviousMayStay) {
  const auto winner = [&](std::vector<double> seconds, Ties ties) {
    Machine machine(std::move(seconds), 0, 1);
    Silent silent;
    Tester tester(space_, {{"n=64", 64, 1}}, machine, silent);
    const Configuration earlier = with(1);
    return use(race(tester, {earlier}, 0, 1e6, &earlier, Rounds::InARow, ties));
  };
  EXPECT_EQ(winner({1, 1}, Ties::Default), 0);
  EXPECT_EQ(winner({1, 1}, Ties::Previous), 1);
  EXPECT_EQ(winner({1, 2}, Ties::Previous), 0);
}

TEST_F(Race, AdvantageOfOneProcessIsNone) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine({1, 1}, 0.01, seed);
    machine.lucky = 1;
    changed += run(machine).changed;
  }
  EXPECT_LE(changed, 12) << "the confirmation does nothing";
}

TEST_F(Race, ResultsAreLookedAtOnceOfEach) {
  Machine machine({2, 1, 1.5}, 0.01, 1);
  run(machine);
  std::set<int> seen;
  for (std::size_t i = 0; i + 1 < machine.asked.size(); ++i) // the last one is a look at the winner
    EXPECT_EQ(machine.trusted[i], !seen.insert(machine.asked[i]).second) << i;
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(Race, IsConfirmedInReverseOrder) {
  Machine machine({2, 1}, 0.01, 1);
  run(machine);
  const std::vector<int> last(machine.asked.end() - 11, machine.asked.end() - 1);
  EXPECT_EQ(last, (std::vector<int>{1, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
}

/// Runs of 50 us each, nine of ten of which are delayed by 20 ms. Measured with these seeds: 35 of 40; with
/// turns of as many runs as the disturbed times suggest: 22.
TEST_F(Race, WhatIsFasterIsFoundThoughMostRunsAreInterrupted) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<TestSize> sizes = powersOfTwo(9, 12);
    Interrupted evaluator(sizes, 0.9, seed * 77);
    changed += tuneInterrupted(evaluator, sizes, seed).changed;
    EXPECT_LT(evaluator.elapsed(), 20) << "of 6 s; a disturbed turn may not take for ever";
  }
  EXPECT_GE(changed, 32);
}

TEST_F(Race, LongRunsAreTurnsByThemselves) {
  Machine machine({0.2, 0.1}, 0.01, 1);
  EXPECT_EQ(use(run(machine)), 1);
  EXPECT_EQ(machine.trials, 1);
  Machine quick({200e-6, 100e-6}, 0.01, 1);
  EXPECT_EQ(use(run(quick)), 1);
  EXPECT_GT(quick.trials, 1);
}

TEST(MachineNoise, IsNotMovedByAFewWildRuns) {
  EXPECT_EQ(relativeDeviation({1}), 0);
  EXPECT_EQ(relativeDeviation({1, 1, 1, 1, 50}), 0);
  EXPECT_NEAR(relativeDeviation({0.99, 1, 1.01, 0.98, 1.02, 7}), 0.0222, 0.005);
  MachineNoise noise;
  noise.ofProgram = 0.021;
  noise.ofLoop = 0.004;
  noise.runs = 9;
  noise.seconds = 0.03;
  EXPECT_EQ(inWords(noise), "9 runs of the default (30 ms) differ by 2.1 %, a loop of 2 ms by 0.4 %");
  noise.busyProcessors = 1.7;
  noise.processors = 2;
  EXPECT_NE(inWords(noise).find("others use 1.7 of 2 processors"), std::string::npos);
}

} // namespace
} // namespace pbc::tuner
