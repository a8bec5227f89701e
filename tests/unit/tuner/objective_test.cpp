// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Objectives other than time, and fronts of two (strategy/objective.h, strategy/front.h).
#include "tests/unit/tuner/synthetic.h"
#include "tuner/report/front_report.h"
#include "tuner/strategy/front.h"

#include <gmock/gmock.h>

namespace pbc::tuner {
namespace {

using testing::HasSubstr;

/// Two tunables from 0 to 15: `hurry` makes it fast and takes memory, `waste` only takes both. So for each
/// hurry the configuration with waste 0 is on the front, except where the front has a dent: hurry 5 is as
/// slow as 4.
class Tradeoff : public Evaluator {
public:
  explicit Tradeoff(double noise) : noise_(noise), random_(7) {
    space.program = space.main = "Tradeoff";
    space.tunables = {{"Tradeoff", "hurry", "", true, false, 0, 0, 15},
                      {"Tradeoff", "waste", "", true, false, 8, 0, 15}};
  }
  static Metrics truth(const Configuration &c) {
    const double hurry = c.tunables()[0], waste = c.tunables()[1];
    const double speed = hurry == 5 ? 4 : hurry;
    return {0.1 * (1 + waste / 10) / (1 + speed / 4), 2 + waste, 1e6 * (1 + hurry) * (1 + waste / 10)};
  }
  Measurement measure(const Request &request) override {
    Measurement result;
    const Metrics metrics = truth(request.configuration);
    if (metrics.seconds > request.limit)
      return {{}, Rejected{Failure::TooSlow, "was stopped"}};
    for (int i = 0; i < request.trials; ++i) {
      result.seconds.push_back(metrics.seconds * random_.lognormal(noise_));
      result.joules.push_back(*metrics.joules * random_.lognormal(noise_));
      clock += metrics.seconds;
    }
    result.bytes = metrics.bytes;
    return result;
  }
  double elapsed() const override { return clock; }
  bool stopped() const override { return false; }

  ProgramSpace space;
  std::vector<TestSize> sizes{{"n=64", 64, 0.2}, {"n=128", 128, 0.2}};
  double clock = 0;

private:
  double noise_;
  Random random_;
};

Configuration tradeoff(const ProgramSpace &space, double hurry, double waste) {
  return Configuration::defaults(space).withTunable(0, hurry).withTunable(1, waste);
}

TEST(Objective, IsNamedAndRefused) {
  EXPECT_TRUE(Objective().isTime());
  EXPECT_EQ(Objective().name(), "time");
  EXPECT_EQ(Objective::parse("energy*time").name(), "energy*time");
  EXPECT_TRUE(Objective::parse("energy*time").wants(Metric::Energy));
  EXPECT_FALSE(Objective::parse("memory").wants(Metric::Time));
  for (const char *wrong : {"", "power", "time*", "*time", "time,energy", "time*time"})
    EXPECT_THROW(Objective::parse(wrong), TunerError) << wrong;
  try {
    Objective::parse("accuracy");
    FAIL();
  } catch (const TunerError &problem) {
    EXPECT_THAT(problem.what(), HasSubstr("accuracy is a constraint"));
  }
  EXPECT_EQ(parseFront("time,memory"), (std::array{Metric::Time, Metric::Memory}));
  for (const char *wrong : {"time", "time,time", "time,energy,memory", "time,", "time memory"})
    EXPECT_THROW(parseFront(wrong), TunerError) << wrong;
}

TEST(Objective, CostsInPartsOfTheDefault) {
  const Metrics half{0.5, 3, 1e6}, one{1, 4, 4e6};
  EXPECT_DOUBLE_EQ(Objective().cost(half, one), 0.5);
  EXPECT_DOUBLE_EQ(Objective::parse("energy").cost(half, one), 0.75);
  EXPECT_DOUBLE_EQ(Objective::parse("energy*time").cost(half, one), 0.375);
  EXPECT_EQ(Objective::parse("energy*time").value(half), 1.5);
  EXPECT_EQ(Objective::parse("energy").value({1, {}, {}}), std::nullopt);
  EXPECT_EQ(Objective::parse("memory").inWords(4.2e6), "4.2 MB");
  EXPECT_EQ(Objective::parse("energy").inWords(0.0123), "12.3 mJ");
  EXPECT_EQ(Objective::parse("energy*time").inWords(1.5), "1.5 J s");
  EXPECT_EQ(Objective().inWords(0.031), "31 ms");
}

TEST(Objective, StrategiesFindWhatIsSmall) {
  for (const auto &[objective, hurry] : {std::pair{"time", 15}, {"memory", 0}}) {
    Tradeoff program(0.01);
    ObjectiveEvaluator evaluator(program.space, program.sizes, program, costOf(Objective::parse(objective)));
    Silent silent;
    const TuneResult found = tune(program.space, program.sizes, {}, {.deadline = 60}, evaluator, silent);
    EXPECT_EQ(found.best, tradeoff(program.space, hurry, 0)) << objective;
    EXPECT_TRUE(found.changed);
    const auto typical = evaluator.typical(found.best, 1);
    ASSERT_TRUE(typical);
    EXPECT_EQ(typical->bytes, Tradeoff::truth(found.best).bytes);
  }
}

TEST(Objective, WhatIsFrugalMayBeSlow) {
  Tradeoff program(0);
  ObjectiveEvaluator evaluator(program.space, program.sizes, program, costOf(Objective::parse("memory")));
  const Configuration lean = tradeoff(program.space, 0, 0), hasty = tradeoff(program.space, 15, 0);
  // The default takes 0.18 s and 1.8 MB. A configuration that takes more memory reaches a limit of 0.12 s of
  // cost.
  const Measurement frugal = evaluator.measure({lean, 0, 1, 0.12, false});
  ASSERT_FALSE(frugal.rejected);
  EXPECT_NEAR(frugal.seconds.front(), 0.1, 1e-9); // 0.18 s x 1 MB / 1.8 MB
  const Measurement greedy = evaluator.measure({hasty, 0, 1, 0.12, false});
  EXPECT_NEAR(greedy.seconds.front(), 1.6, 1e-9); // 16 times the memory of `frugal`
}

TEST(Objective, ARunThatIsManyRunsIsNotRepeatedForTheSakeOfTurns) {
  Tradeoff program(0);
  ObjectiveEvaluator evaluator(program.space, program.sizes, program, costOf(Objective::parse("energy")));
  const Configuration defaults = Configuration::defaults(program.space);
  EXPECT_EQ(evaluator.measure({defaults, 0, 15, 1, false}).seconds.size(), 15u);
  evaluator.setMostRuns(2);
  EXPECT_EQ(evaluator.measure({defaults, 0, 15, 1, false}).seconds.size(), 2u);
}

TEST(Front, WithoutWhatIsNeedless) {
  const Tradeoff program(0);
  std::vector<FrontPoint> points;
  for (double hurry = 0; hurry < 16; ++hurry)
    for (double waste = 0; waste < 3; ++waste) {
      const Configuration configuration = tradeoff(program.space, hurry, waste);
      points.push_back({configuration, Tradeoff::truth(configuration)});
    }
  const auto front = frontOf(points, {Metric::Time, Metric::Memory});
  ASSERT_EQ(front.size(), 15u); // all but hurry 5
  for (std::size_t i = 0; i < front.size(); ++i) {
    const double hurry = i < 10 ? 15 - static_cast<double>(i) : 14 - static_cast<double>(i);
    EXPECT_EQ(front[i].configuration, tradeoff(program.space, hurry, 0));
  }
  // Equal within 2 % in both is one.
  EXPECT_EQ(frontOf({{tradeoff(program.space, 3, 1), {1, {}, 1e6}},
                     {tradeoff(program.space, 3, 2), {1.01, {}, 0.99e6}}},
                    {Metric::Time, Metric::Memory})
                .size(),
            1u);
  EXPECT_TRUE(frontOf({}, {Metric::Time, Metric::Memory}).empty());
}

TEST(Front, IsFoundFromEndToEnd) {
  int missing = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    Tradeoff program(0.01);
    ObjectiveEvaluator evaluator(program.space, program.sizes, program, costOf({}));
    Silent silent;
    const FrontResult front =
        findFront(program.space, program.sizes, {Metric::Time, Metric::Memory},
                  {.deadline = 120, .seed = static_cast<std::uint64_t>(seed)}, evaluator, silent);
    ASSERT_GE(front.points.size(), 8u);
    EXPECT_EQ(front.points.front().configuration, tradeoff(program.space, 15, 0));
    EXPECT_EQ(front.points.back().configuration, tradeoff(program.space, 0, 0));
    for (std::size_t i = 0; i < front.points.size(); ++i) {
      EXPECT_EQ(front.points[i].configuration.tunables()[1], 0); // no waste
      EXPECT_NE(front.points[i].configuration.tunables()[0], 5); // nor the dent
      EXPECT_TRUE(i == 0 || front.points[i].metrics.seconds > front.points[i - 1].metrics.seconds);
      EXPECT_TRUE(i == 0 || *front.points[i].metrics.bytes < *front.points[i - 1].metrics.bytes);
    }
    ASSERT_TRUE(front.byDefault);
    EXPECT_EQ(front.byDefault->bytes, Tradeoff::truth(Configuration::defaults(program.space)).bytes);
    missing += 15 - static_cast<int>(front.points.size());
  }
  EXPECT_LE(missing, 15); // of 150
}

TEST(Front, OneThatIsBestInBothIsAll) {
  Tradeoff program(0);
  program.space.tunables[0].isFixed = true;
  ObjectiveEvaluator evaluator(program.space, program.sizes, program, costOf({}));
  Silent silent;
  FrontReport report;
  report.metrics = {Metric::Energy, Metric::Memory};
  report.result =
      findFront(program.space, program.sizes, report.metrics, {.deadline = 60}, evaluator, silent);
  ASSERT_EQ(report.result.points.size(), 1u);
  EXPECT_EQ(report.result.points[0].configuration, tradeoff(program.space, 0, 0));
  report.files = {"tradeoff.front/1.cfg"};
  report.program = "./<trade>";
  EXPECT_THAT(asText(program.space, report),
              HasSubstr("one configuration has the least energy and the least memory"));
  const std::string page = frontPage(program.space, report);
  EXPECT_THAT(page, HasSubstr("./&lt;trade&gt;"));
  EXPECT_THAT(page, HasSubstr("2 J, 1 MB"));
  EXPECT_LT(page.size(), 500'000u);
}

} // namespace
} // namespace pbc::tuner
