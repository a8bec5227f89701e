// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes of launches in which the items of a group compute cells together.
#include "runtime/device/teams.h"
#include <gtest/gtest.h>

namespace {

using namespace pb;
using namespace pb::device;

struct Teams {
  long team = 256, asked = 0, length = 0;
  int group[3] = {256, 1, 1};
  int units = 100;
  bool inRounds = false;

  TeamLaunch of(const Box &box) const {
    static long steps;
    steps = length;
    const DeviceTeams teams{[](const Frame *, const Box *) { return steps; }, 2, 3};
    const long settings[2] = {team, asked};
    DeviceStep step{};
    step.teams = settings;
    step.inRounds = inRounds;
    const Frame frame;
    Description about;
    about.units = units;
    return teamsOf(step, teams, &frame, box, about, group);
  }
};

TEST(Teams, CellsOfAGroupDivideItsItems) {
  for (const int items : {1, 2, 7, 12, 96, 255, 256})
    for (const long team : {1L, 2L, 3L, 8L, 256L, 1000L})
      for (const long cells : {1L, 3L, 40L, 1000L}) {
        const Teams teams{.team = team, .group = {items, 1, 1}};
        const TeamLaunch launch = teams.of({1, {5}, {5 + cells}});
        EXPECT_EQ(items % launch.cells, 0);
        EXPECT_LE(launch.cells, cells);
        EXPECT_GE(items / launch.cells, std::min<long>(team, items));
        const Grid grid = gridOf(launch, 0, {1, {5}, {5 + cells}}, false, teams.group);
        EXPECT_EQ(grid.items[0] % items, 0);
        EXPECT_GE(grid.items[0] / items * launch.cells, cells);
        EXPECT_LT((grid.items[0] / items - 1) * launch.cells, cells);
      }
}

TEST(Teams, OneLongCellIsManyGroups) {
  const TeamLaunch launch = Teams{.length = 1'000'000}.of({0, {}, {}});
  EXPECT_EQ(launch.cells, 1);
  EXPECT_EQ(launch.parts,
            400); // as many as can be at work on 100 units, in items of which each has at least 8 steps
  EXPECT_EQ(launch.bytes, 8UL * 2 * 400);
  EXPECT_EQ(launch.firstPass(), 1);
  EXPECT_EQ(launch.lastPass(), 3);
  const int group[3] = {256, 1, 1};
  EXPECT_EQ(gridOf(launch, 1, {0, {}, {}}, false, group).items[0], 400 * 256);
  EXPECT_EQ(gridOf(launch, 2, {0, {}, {}}, false, group).items[0], 256);
  EXPECT_EQ(gridOf(launch, 3, {0, {}, {}}, false, group).items[0], 400 * 256);
}

TEST(Teams, AsManyPartsAsAreWorthIt) {
  EXPECT_EQ(Teams{.length = 3000}.of({0, {}, {}}).parts, 1);
  EXPECT_EQ(Teams{.length = 3 * 256 * 8}.of({0, {}, {}}).parts, 3);
  EXPECT_EQ((Teams{.length = 1'000'000}.of({1, {0}, {50}}).parts), 8);
  EXPECT_EQ((Teams{.length = 1'000'000}.of({1, {0}, {99}}).parts), 4);
  EXPECT_EQ((Teams{.length = 1'000'000}.of({1, {0}, {100}}).parts), 1); // all units are busy
  EXPECT_EQ((Teams{.length = 1'000'000, .units = 1}.of({0, {}, {}}).parts), 1);
  EXPECT_EQ((Teams{.asked = 7, .length = 10}.of({1, {0}, {1000}}).parts), 7);
}

TEST(Teams, RoundsAreOnePass) {
  const TeamLaunch launch = Teams{.asked = 7, .inRounds = true}.of({2, {0, 0}, {9, 3}});
  EXPECT_EQ(launch.parts, 1);
  EXPECT_EQ(launch.firstPass(), 0);
  EXPECT_EQ(launch.lastPass(), 0);
}

} // namespace
