// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirements 71, 72, 74.
#include "tuner/space/selector.h"

#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

Selector three() { return *Selector::fromLevels({{100, 1}, {1000, 2}, {kNoLimit, 0}}); }

TEST(Selector, ChoosesAtAndAroundCutoffs) {
  const Selector s = three();
  EXPECT_EQ(s.select(0), 1);
  EXPECT_EQ(s.select(99), 1);
  EXPECT_EQ(s.select(100), 2);
  EXPECT_EQ(s.select(999), 2);
  EXPECT_EQ(s.select(1000), 0);
  EXPECT_EQ(s.select(kNoLimit - 1), 0);
  EXPECT_EQ(s.usedUpTo(99), std::vector<int>({1}));
  EXPECT_EQ(s.usedUpTo(100), std::vector<int>({1, 2}));
}

TEST(Selector, RefusesCutoffsThatDoNotGrowAndTooManyLevels) {
  EXPECT_FALSE(Selector::fromLevels({}));
  EXPECT_FALSE(Selector::fromLevels({{100, 1}}));
  EXPECT_FALSE(Selector::fromLevels({{100, 1}, {100, 2}, {kNoLimit, 0}}));
  EXPECT_FALSE(Selector::fromLevels({{0, 1}, {kNoLimit, 0}}));
  std::vector<Level> levels;
  for (int i = 1; i <= 12; ++i)
    levels.push_back({i < 12 ? i * 10 : kNoLimit, i % 2});
  EXPECT_TRUE(Selector::fromLevels(levels));
  levels.insert(levels.begin(), Level{5, 0});
  EXPECT_FALSE(Selector::fromLevels(levels));
}

TEST(Selector, RangeReplacesExactlyItsSizes) {
  for (long low : {0L, 1L, 50L, 100L, 500L, 1000L, 5000L})
    for (long high : {1L, 60L, 100L, 101L, 700L, 1000L, 1001L, 9000L, kNoLimit}) {
      if (high <= low)
        continue;
      const auto changed = three().withRange(low, high, 3);
      ASSERT_TRUE(changed);
      for (long n = 0; n < 10000; n += 7)
        ASSERT_EQ(changed->select(n), n >= low && n < high ? 3 : three().select(n))
            << low << " " << high << " " << n;
      EXPECT_EQ(changed->select(low), 3);
    }
}

TEST(Selector, ForcedRangeKeepsTwelveLevelsAndTheRange) {
  std::vector<Level> levels;
  for (int i = 1; i <= 12; ++i)
    levels.push_back({i < 12 ? 1L << (2 * i) : kNoLimit, i});
  const Selector full = *Selector::fromLevels(levels);
  EXPECT_FALSE(full.withRange(100, 120, 0));
  const Selector forced = full.withRangeForced(100, 120, 0);
  EXPECT_LE(forced.levels().size(), 12u);
  EXPECT_EQ(forced.select(100), 0);
  EXPECT_EQ(forced.select(119), 0);
  EXPECT_NE(forced.select(120), 0);
}

TEST(Selector, NeighboursWithOneAlternativeMerge) {
  EXPECT_EQ(three().withUse(0, 2).levels().size(), 2u);
  EXPECT_EQ(three().withUses([](int level) { return level < 2 ? 7 : 0; }),
            *Selector::fromLevels({{1000, 7}, {kNoLimit, 0}}));
  EXPECT_EQ(three().withoutLevel(0), *Selector::fromLevels({{1000, 2}, {kNoLimit, 0}}));
  EXPECT_EQ(three().withoutLevel(2), *Selector::fromLevels({{100, 1}, {kNoLimit, 2}}));
  EXPECT_EQ(three().withCutoff(0, 5000).levels()[0].below, 999);
  EXPECT_EQ(three().withCutoff(1, 3).levels()[1].below, 101);
}

} // namespace
} // namespace pbc::tuner
