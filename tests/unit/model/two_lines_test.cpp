// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Latency and gap from times that are given: what they must be can be computed.
#include "compiler/model/measure/two_lines.h"
#include "compiler/model/measure/warp_probe.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace pbc::model {
namespace {

std::vector<ChainTime> timesOf(double latency, double gap, double extra = 0) {
  std::vector<ChainTime> times;
  for (const int chains : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 48, 64, 96, 128})
    times.push_back({chains, std::max(latency, chains * gap + extra)});
  return times;
}

TEST(TwoLines, LatencyGapAndKneeAreThoseOfTheTimes) {
  struct Case {
    double latency, gap;
  };
  // Resources of several machines: products of floats, of doubles, special functions, loads from shared memory, from the whole memory.
  for (const Case c : {Case{4, 0.25}, {8, 0.5}, {18, 2}, {29, 1}, {700, 15.2}, {9, 0.17}}) {
    const TwoLines lines = twoLines(timesOf(c.latency, c.gap));
    EXPECT_DOUBLE_EQ(lines.latency, c.latency);
    EXPECT_DOUBLE_EQ(lines.gap, c.gap);
    EXPECT_NEAR(lines.knee, c.latency / c.gap, 2); // that of times that are not within 5 % of both lines
    EXPECT_NEAR(lines.deviation, 0, 1e-12);
    EXPECT_TRUE(lines.isSaturated);
    EXPECT_TRUE(lines.holds());
  }
}

TEST(TwoLines, TheOrderOfTheTimesDoesNotMatter) {
  std::vector<ChainTime> times = timesOf(4, 0.25);
  std::ranges::reverse(times);
  EXPECT_DOUBLE_EQ(twoLines(times).latency, 4);
  EXPECT_DOUBLE_EQ(twoLines(times).gap, 0.25);
}

TEST(TwoLines, AResourceThatIsNeverBusyHasOnlyALimitForItsGap) {
  const TwoLines lines = twoLines({{1, 500}, {8, 500}, {32, 501}});
  EXPECT_FALSE(lines.isSaturated);
  EXPECT_FALSE(lines.holds());
  EXPECT_EQ(lines.knee, 0);
  EXPECT_DOUBLE_EQ(lines.gap, 501.0 / 32);
}

TEST(TwoLines, AnotherLimitShowsInTheDeviation) {
  // Something takes three cycles besides, however many chains there are: the second line does not go through the origin.
  const TwoLines shifted = twoLines(timesOf(4, 0.25, 3));
  EXPECT_GT(shifted.deviation, kMostDeviation);
  EXPECT_FALSE(shifted.holds());
  // Times that grow long before the knee: half of the warps are on one scheduler.
  std::vector<ChainTime> times = timesOf(8, 0.25);
  for (ChainTime &t : times)
    if (t.chains >= 8 && t.chains < 64)
      t.time = std::max(t.time, 8 + 0.4 * (t.chains - 4));
  EXPECT_FALSE(twoLines(times).holds());
}

TEST(TwoLines, NoiseOfAHundredthChangesNothing) {
  std::vector<ChainTime> times = timesOf(29, 1);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k].time *= k % 2 ? 1.01 : 0.995;
  const TwoLines lines = twoLines(times);
  EXPECT_NEAR(lines.latency, 29, 0.3);
  EXPECT_NEAR(lines.gap, 1, 0.01);
  EXPECT_TRUE(lines.holds());
}

TEST(TwoLines, NoTimesAreAMistake) { EXPECT_THROW(twoLines({}), std::logic_error); }

TEST(TurnsOfBanks, AreThoseOfCountingWords) {
  for (int apart = 1; apart <= 64; ++apart) {
    std::set<int> words[32];
    for (int lane = 0; lane < 32; ++lane)
      words[lane * apart % 32].insert(lane * apart);
    std::size_t most = 0;
    for (const std::set<int> &bank : words)
      most = std::max(most, bank.size());
    EXPECT_EQ(turnsOfBanks(apart), static_cast<int>(most)) << apart;
  }
}

} // namespace
} // namespace pbc::model
