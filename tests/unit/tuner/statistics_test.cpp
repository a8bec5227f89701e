// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirement 78 and the two tests of statistics.h.
#include "tuner/strategy/random.h"
#include "tuner/strategy/statistics.h"

#include <cmath>
#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

TEST(Judge, KnowsClearCases) {
  EXPECT_EQ(judge({0.10}, {0.20}), Verdict::Faster);
  EXPECT_EQ(judge({0.20}, {0.10}), Verdict::Slower);
  EXPECT_EQ(judge({0.100}, {0.101}), Verdict::Unclear);
  EXPECT_EQ(judge({0.1, 0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1, 0.1}, 0.01), Verdict::Same);
  EXPECT_EQ(judge({0.1, 0.1, 0.1}, {0.11, 0.11, 0.11}, 0.02), Verdict::Faster);
}

TEST(Judge, RunsThatOthersLengthenDoNotCount) {
  EXPECT_NEAR(typicalSeconds({1.0, 1.02, 2.1}), 1.01, 0.001);
  EXPECT_NEAR(typicalSeconds({2.0, 1.0}), 1.0, 1e-9) << "others only add to times";
  EXPECT_NEAR(typicalSeconds({1.0, 1.1, 1.2}), 1.097, 0.001) << "that is no other's doing";
  EXPECT_EQ(judge({1.0, 2.1, 1.0}, {1.2, 1.2, 1.2}, 0.05), Verdict::Faster);
  EXPECT_GT(upperBound({1.0, 1.0, 2.0}), 1.8) << "a limit must let them end";
}

TEST(Noise, IsLearntFromRepetitions) {
  Noise noise;
  EXPECT_DOUBLE_EQ(noise.deviation(), kGuessedDeviation);
  Random random(1);
  for (int i = 0; i < 400; ++i)
    noise.learn({random.lognormal(0.03), random.lognormal(0.03), random.lognormal(0.03)});
  EXPECT_NEAR(noise.deviation(), 0.03, 0.005);
}

/// How often a candidate that is `ratio` times as slow is judged faster, in a race of `rounds`.
double calledFaster(double ratio, double deviation, int rounds) {
  Random random(11);
  int faster = 0;
  constexpr int kRaces = 2000;
  for (int i = 0; i < kRaces; ++i) {
    std::vector<double> reference, candidate;
    for (int round = 0; round < rounds; ++round) {
      const double drift = random.lognormal(0.2); // what slows down both at that moment
      reference.push_back(drift * random.lognormal(deviation));
      candidate.push_back(drift * ratio * random.lognormal(deviation));
    }
    faster += judgePairs(reference, candidate).faster;
  }
  return faster / double(kRaces);
}

TEST(Pairs, FindsRealGainsInSpiteOfDrift) { EXPECT_GT(calledFaster(0.9, 0.03, 7), 0.99); }

TEST(Pairs, SeldomCallsTheSameFaster) { EXPECT_LT(calledFaster(1.0, 0.05, 10), 0.08); }

TEST(Pairs, HardlyEverCallsSlowerFaster) { EXPECT_LT(calledFaster(1.05, 0.03, 7), 0.002); }

/// Quantiles of Student's distribution from tables: 2.920 (5 %, 2 degrees of freedom), 2.353 (3), 2.132 (4).
TEST(Pairs, TheBoundIsStudents) {
  const auto isFaster = [](int count, double t) {
    // Mean m, deviation 1 (half of them m - d, the other half m + d, the middle one m), all in 1 % steps.
    std::vector<double> logs;
    const double d = std::sqrt((count - 1) / (2.0 * (count / 2)));
    for (int i = 0; i < count; ++i)
      logs.push_back(-t / std::sqrt(count) + (count % 2 && i == count / 2 ? 0 : i < count / 2 ? -d : d));
    std::vector<double> candidate;
    for (const double value : logs)
      candidate.push_back(std::exp(0.1 * value));
    return judgePairs(std::vector<double>(candidate.size(), 1), candidate).faster;
  };
  for (const auto &[count, quantile] :
       {std::pair{3, 2.920}, {4, 2.353}, {5, 2.132}, {9, 1.860}, {21, 1.725}}) {
    EXPECT_TRUE(isFaster(count, quantile + 0.002)) << count;
    EXPECT_FALSE(isFaster(count, quantile - 0.002)) << count;
  }
}

TEST(Pairs, OfManyRivalsMoreIsAsked) {
  const std::vector<double> same(5, 1), faster{0.9, 0.91, 0.93, 0.97, 0.99};
  EXPECT_TRUE(judgePairs(same, faster).faster);
  EXPECT_FALSE(judgePairs(same, faster, 10).faster);
}

TEST(Pairs, TheRatioIsBoundedByOrderStatistics) {
  const auto most = [](std::vector<double> times) {
    return judgePairs(std::vector<double>(times.size(), 1), times).most;
  };
  EXPECT_TRUE(std::isinf(judgePairs({}, {}).most));
  EXPECT_TRUE(std::isinf(most({1, 1, 1, 1})));
  EXPECT_NEAR(most({1, 2, 5, 4, 3}), 5, 1e-9);          // 1/32 that all are below the median
  EXPECT_NEAR(most({1, 2, 3, 4, 5, 6, 7, 8}), 7, 1e-9); // 9/256 that all but one are
}

TEST(Pairs, OneWildTimeDoesNotHideAGain) {
  EXPECT_TRUE(judgePairs({1, 1, 1, 1, 1, 1, 1, 1}, {0.8, 0.8, 0.81, 0.79, 5, 0.8, 0.8, 0.8}).faster);
}

} // namespace
} // namespace pbc::tuner
