// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compares the tiles of each command of a launch with all tiles, one by one.
#include "runtime/device/launch_parts.h"
#include "runtime/device/launch_rounds.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <map>
#include <random>

namespace pb::device {
namespace {

using testing::ElementsAre;

std::vector<long> valuesOf(const std::vector<Argument> &arguments) {
  std::vector<long> values;
  for (const Argument &a : arguments)
    values.push_back(a.value);
  return values;
}

Launch launchIn(const Box &box, const std::vector<long> &tile) {
  Launch launch;
  launch.box = box;
  std::copy(tile.begin(), tile.end(), launch.tile);
  return launch;
}

TEST(LaunchRounds, DiagonalsOfTiles) {
  Launch launch = launchIn({2, {0, 10}, {4, 16}}, {2, 3});
  launch.group[0] = 2;
  std::vector<Argument> arguments = {Argument::of(7)};
  const LaunchRounds rounds(launch, arguments, nullptr);
  EXPECT_EQ(rounds.count(), 3);
  const Grid middle = rounds.prepare(1, arguments);
  EXPECT_THAT(middle.items, ElementsAre(4, 1, 1));
  EXPECT_THAT(middle.group, ElementsAre(2, 1, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(7, 0, 4, 10, 16, 2, 3, 1, 0));
  EXPECT_THAT(rounds.prepare(2, arguments).items, ElementsAre(2, 1, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(7, 0, 4, 10, 16, 2, 3, 2, 1));
}

TEST(LaunchRounds, WithoutTilesOneOrOneForEachRound) {
  Launch launch = launchIn({2, {3, 0}, {5, 6}}, {});
  std::vector<Argument> arguments;
  EXPECT_EQ(LaunchRounds(launch, arguments, nullptr).count(), 1);
  EXPECT_THAT(valuesOf(arguments), ElementsAre(3, 5, 0, 6));
  launch.inRounds = true;
  arguments.clear();
  const LaunchRounds rounds(launch, arguments, nullptr);
  EXPECT_EQ(rounds.count(), 2);
  EXPECT_THAT(rounds.prepare(1, arguments).items, ElementsAre(6, 1, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(4, 5, 0, 6));
}

TEST(LaunchRounds, EachPartOfTheBox) {
  Launch launch = launchIn({2, {0, 0}, {100, 60}}, {});
  launch.parts = {{{2, {0, 0}, {1, 60}}, {1, 32, 1}}, {{2, {1, 59}, {100, 60}}, {8, 4, 1}}};
  std::vector<Argument> arguments = {Argument::of(7)};
  const LaunchRounds rounds(launch, arguments, nullptr);
  EXPECT_EQ(rounds.count(), 2);
  EXPECT_THAT(rounds.prepare(0, arguments).items, ElementsAre(1, 64, 1));
  EXPECT_THAT(rounds.prepare(0, arguments).group, ElementsAre(1, 32, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(7, 0, 1, 0, 60));
  EXPECT_THAT(rounds.prepare(1, arguments).items, ElementsAre(104, 4, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(7, 1, 100, 59, 60));
}

/// Groups have as many items in thin parts, along other axes, within what a device allows.
TEST(LaunchParts, GroupsFitThinParts) {
  Description about;
  about.groupExtent[0] = about.groupExtent[1] = 1024, about.groupExtent[2] = 64;
  const auto fitted = [&](std::vector<long> items) {
    int group[3] = {32, 8, 1};
    fitGroup(group, items.data(), about);
    return std::vector<int>(group, group + 3);
  };
  EXPECT_THAT(fitted({512, 512, 512}), ElementsAre(32, 8, 1));
  EXPECT_THAT(fitted({1, 512, 512}), ElementsAre(1, 256, 1));
  EXPECT_THAT(fitted({512, 1, 512}), ElementsAre(256, 1, 1));
  EXPECT_THAT(fitted({20, 1, 512}), ElementsAre(32, 1, 8));
  EXPECT_THAT(fitted({8190, 1, 1}), ElementsAre(256, 1, 1));
  EXPECT_THAT(fitted({1, 8192, 1}), ElementsAre(1, 256, 1));
  EXPECT_THAT(fitted({1, 1, 512}), ElementsAre(1, 1, 64)); // 256 is more than such a device has
  EXPECT_THAT(fitted({3, 3, 3}), ElementsAre(4, 4, 4));
}

/// With two slots no command has an even number of rounds; here the last round is alone.
TEST(LaunchRounds, SeveralRoundsTogether) {
  const DeviceSteps how{2, 1, {1, 2}};
  Launch launch = launchIn({3, {4, 0, 0}, {13, 100, 10}}, {});
  launch.inRounds = true;
  launch.together = &how;
  launch.steps = 6;
  launch.group[0] = 8, launch.group[1] = 4;
  launch.cells[0] = 4, launch.cells[1] = 5;
  std::vector<Argument> arguments;
  const LaunchRounds rounds(launch, arguments, nullptr);
  ASSERT_EQ(rounds.count(), 3);
  EXPECT_THAT(rounds.prepare(0, arguments).items, ElementsAre(5 * 8, 3 * 4, 1)); // 24 x 4 own points each
  EXPECT_THAT(valuesOf(arguments), ElementsAre(4, 9, 0, 100, 0, 10));
  EXPECT_THAT(rounds.prepare(1, arguments).items, ElementsAre(4 * 8, 4, 1));
  EXPECT_THAT(valuesOf(arguments), ElementsAre(9, 12, 0, 100, 0, 10));
  rounds.prepare(2, arguments);
  EXPECT_THAT(valuesOf(arguments), ElementsAre(12, 13, 0, 100, 0, 10));
}

/// Where nobody reads the rounds before the last one, no round is alone: 16 steps and the first version in three launches.
TEST(LaunchRounds, NoRoundAloneWhereOnlyTheLastOneIsRead) {
  const auto counts = [](long all, long most, int alone) {
    const DeviceSteps how{2, alone, {1, 1}};
    Launch launch = launchIn({3, {0, 0, 0}, {all, 4096, 4096}}, {});
    launch.inRounds = true;
    launch.together = &how;
    launch.steps = most;
    launch.group[0] = 32, launch.group[1] = 8;
    launch.cells[0] = 2, launch.cells[1] = 8;
    std::vector<Argument> arguments;
    const LaunchRounds rounds(launch, arguments, nullptr);
    std::vector<long> found;
    for (long r = 0; r < rounds.count(); ++r) {
      rounds.prepare(r, arguments);
      found.push_back(arguments[1].value - arguments[0].value);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  EXPECT_THAT(counts(17, 9, 0), ElementsAre(5, 5, 7));
  EXPECT_THAT(counts(17, 9, 1), ElementsAre(1, 7, 9));
  EXPECT_THAT(counts(17, 5, 0), ElementsAre(3, 3, 3, 3, 5));
  EXPECT_THAT(counts(9, 5, 0), ElementsAre(3, 3, 3));
  EXPECT_THAT(counts(2, 5, 0), ElementsAre(1, 1)); // two slots allow no other
}

/// Every round runs once and in order, whatever is asked for; each group has points of its own.
TEST(LaunchRounds, EveryRoundOnceWhateverIsAskedFor) {
  for (const int slots : {0, 2, 3})
    for (long steps = 1; steps < 12; ++steps)
      for (long all = 0; all < 20; ++all) {
        const int alone = static_cast<int>(steps) % 2 ? std::max(0, slots - 1) : 0;
        const DeviceSteps how{slots, alone, {2, 0}};
        Launch launch = launchIn({2, {0, 0}, {all, 9}}, {});
        launch.inRounds = true;
        launch.together = &how;
        launch.steps = steps;
        launch.group[0] = 7;
        std::vector<Argument> arguments;
        const LaunchRounds rounds(launch, arguments, nullptr);
        long next = 0;
        for (long r = 0; r < rounds.count(); ++r) {
          const Grid grid = rounds.prepare(r, arguments);
          const long count = arguments[1].value - arguments[0].value;
          EXPECT_EQ(arguments[0].value, next);
          EXPECT_TRUE(count >= 1 && count <= steps && (!slots || count == 1 || count % slots));
          EXPECT_GE(grid.items[0] / 7 * (7 - 4 * (count - 1)), 9);
          next = arguments[1].value;
        }
        EXPECT_EQ(next, all);
        EXPECT_GE(rounds.count(), std::min<long>(all, alone));
      }
}

/// Every tile runs once, after those that precede it; no command is empty.
TEST(LaunchRounds, EveryTileOnceAndInOrder) {
  std::mt19937 random(3);
  const auto below = [&](int n) { return static_cast<long>(random() % static_cast<unsigned>(n)); };
  for (int trial = 0; trial < 500; ++trial) {
    const int rank = 2 + static_cast<int>(below(3));
    Box box{rank, {}, {}};
    std::vector<long> tile, counts;
    for (int d = 0; d < rank; ++d) {
      box.low[d] = below(20) - 10;
      box.high[d] = box.low[d] + 1 + below(rank == 4 ? 8 : 20);
      tile.push_back(1 + below(9));
      counts.push_back((box.high[d] - box.low[d] + tile.back() - 1) / tile.back());
    }
    Launch launch = launchIn(box, tile);
    for (int d = 0; d + 1 < rank; ++d)
      launch.group[d] = 1 + static_cast<int>(below(3));
    std::vector<Argument> arguments;
    const LaunchRounds rounds(launch, arguments, nullptr);
    const std::size_t diagonal = 3 * static_cast<std::size_t>(rank);
    std::map<std::vector<long>, int> seen;
    for (long r = 0; r < rounds.count(); ++r) {
      const Grid grid = rounds.prepare(r, arguments);
      ASSERT_EQ(arguments[diagonal].value, r);
      long groups = 1, inside = 0;
      for (int d = 0; d < 3; ++d) {
        ASSERT_EQ(grid.items[d] % grid.group[d], 0);
        groups *= grid.items[d] / grid.group[d];
      }
      for (long g = 0; g < groups; ++g) {
        std::vector<long> at;
        long rest = g, last = r;
        for (int d = 0; d + 1 < rank; ++d) {
          const long along = grid.items[d] / grid.group[d];
          at.push_back(arguments[diagonal + 1 + static_cast<std::size_t>(d)].value + rest % along);
          rest /= along;
          last -= at.back();
          ASSERT_LT(at.back(), counts[static_cast<std::size_t>(d)]);
        }
        if (last < 0 || last >= counts.back())
          continue;
        at.push_back(last);
        ++inside;
        ASSERT_EQ(++seen[at], 1);
        for (auto before : at)
          ASSERT_GE(before, 0);
        for (std::size_t d = 0; d < at.size(); ++d)
          if (std::vector<long> before = at; before[d]-- > 0) {
            ASSERT_EQ(seen.count(before), 1u);
          }
      }
      ASSERT_GT(inside, 0);
    }
    long all = 1;
    for (const long c : counts)
      all *= c;
    ASSERT_EQ(static_cast<long>(seen.size()), all);
  }
}

TEST(ShortenRuns, UntilTheDeviceHasFourGroupsForEachUnit) {
  const auto rowsOf = [](long width, long height, int units) {
    Launch l;
    l.box = Box{2, {0, 0}, {width, height}};
    l.group[0] = 32, l.group[1] = 8;
    l.cells[0] = 4, l.cells[1] = 16;
    l.hasRuns = true;
    shortenRuns(l, units);
    return l.cells[1];
  };
  EXPECT_EQ(rowsOf(8192, 8192, 132), 16); // 64 x 64 groups
  EXPECT_EQ(rowsOf(2048, 2048, 132), 4);  // 16 x 64 groups of 4 rows; with 8 rows there are 512
  EXPECT_EQ(rowsOf(2048, 2048, 64), 16);
  EXPECT_EQ(rowsOf(10, 10, 132), 1);
}

/// What has planes keeps its rows, which share memory of the group, and some planes, each of which reads others beside it.
TEST(ShortenRuns, OfPlanesUntilFourAreLeft) {
  const auto cellsOf = [](long length, int units) {
    Launch l;
    l.box = Box{3, {0, 0, 0}, {length, length, length}};
    l.group[0] = 32, l.group[1] = 8;
    l.cells[0] = 4, l.cells[1] = 2, l.cells[2] = 128;
    l.hasRuns = true;
    shortenRuns(l, units);
    return std::pair(l.cells[1], l.cells[2]);
  };
  EXPECT_EQ(cellsOf(1024, 132), std::pair(2, 128)); // 8 x 64 x 8 groups
  EXPECT_EQ(cellsOf(256, 132), std::pair(2, 8));    // 2 x 16 x 16 groups of 16 planes are 512
  EXPECT_EQ(cellsOf(10, 132), std::pair(2, 4));
}

} // namespace
} // namespace pb::device
