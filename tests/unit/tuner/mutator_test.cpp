// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Requirements 74 to 77.
#include "tests/unit/tuner/synthetic.h"
#include "tuner/strategy/bans.h"
#include "tuner/strategy/mutators.h"
#include "tuner/strategy/neighbours.h"

#include <gtest/gtest.h>

namespace pbc::tuner {
namespace {

TEST(Mutators, HundredThousandMutationsStayValid) {
  ProgramSpace space = syntheticSpace();
  space.sites.push_back({"Other", "Other", "", {{"X", ""}, {"Y", ""}}});
  space.tunables.push_back({"Other", "block", "", true, true, 64, 1, 4096});
  space.tunables.push_back({"Other", "omega", "", false, false, 1.5, 1, 2});
  const Bans bans;
  Random random(7);
  Configuration current = Configuration::defaults(space);
  int changed = 0;
  std::size_t mostLevels = 0;
  for (int i = 0; i < 100000; ++i) {
    const long n = 2L << random.below(24);
    const auto next = mutate(space, bans, current, n, random);
    if (!next)
      continue;
    ++changed;
    ASSERT_NE(*next, current);
    current = *next;
    ASSERT_TRUE(current.fits(space));
    for (const Selector &selector : current.selectors()) {
      // fromLevels accepts growing cut-offs and at most 12 levels only.
      const auto again = Selector::fromLevels(selector.levels());
      ASSERT_TRUE(again);
      ASSERT_EQ(*again, selector);
      mostLevels = std::max(mostLevels, selector.levels().size());
    }
  }
  EXPECT_GT(changed, 95000);
  EXPECT_EQ(mostLevels, 12u);
}

ProgramSpace spaceWithGroups() {
  return parseProgramSpace(
      R"({"name": "p", "hash": "h", "compiler": "pbc", "main": "T", "devices": ["fake:0"],
    "transforms": [{"name": "T", "sites": [
        {"name": "place_a", "key": "place_a", "doc": "", "device": true,
         "alternatives": [{"name": "cpu", "doc": ""}, {"name": "gpu", "doc": ""}, {"name": "gpu_blocks", "doc": ""}]},
        {"name": "T", "doc": "", "alternatives": [{"name": "one", "doc": ""}, {"name": "two", "doc": ""}]}],
      "tunables": [
        {"name": "group_x_a", "doc": "", "kind": "integer", "logarithmic": true, "initial": 32, "min": 1, "max": 1024,
         "device": true, "when": [{"site": "place_a", "uses": ["gpu", "gpu_blocks"]}]},
        {"name": "group_y_a", "doc": "", "kind": "integer", "logarithmic": true, "initial": 8, "min": 1, "max": 1024,
         "device": true, "when": [{"site": "place_a", "uses": ["gpu", "gpu_blocks"]}]},
        {"name": "cells_x_a", "doc": "", "kind": "integer", "logarithmic": true, "initial": 4, "min": 1, "max": 16,
         "device": true, "when": [{"site": "place_a", "uses": ["gpu_blocks"]}]}],
      "constraints": [{"doc": "work-items", "product": ["group_x_a", "group_y_a"], "most": 1024}]}]})");
}

TEST(Mutators, WhatCountsNowhereIsLeftAlone) {
  const ProgramSpace space = spaceWithGroups();
  const Configuration onProcessor = Configuration::defaults(space);
  const Bans bans;
  Random random(11);
  bool changed[3] = {};
  for (int i = 0; i < 3000; ++i)
    if (const auto next = mutate(space, bans, onProcessor, 64, random);
        next && next->selectors() == onProcessor.selectors())
      ADD_FAILURE() << "a tunable of devices: " << next->key();
  // On a device at some size up to n, without blocks.
  const Configuration onDevice =
      onProcessor.withSelector(0, *Selector::fromLevels({{32, 0}, {4096, 1}, {kNoLimit, 2}}));
  EXPECT_TRUE(neighbours(space, bans, onDevice, 64).size() > neighbours(space, bans, onProcessor, 64).size());
  for (int i = 0; i < 3000; ++i)
    if (const auto next = mutate(space, bans, onDevice, 64, random))
      for (int t = 0; t < 3; ++t)
        changed[t] |=
            next->selectors() == onDevice.selectors() && next->tunables()[t] != onDevice.tunables()[t];
  EXPECT_TRUE(changed[0] && changed[1]);
  EXPECT_FALSE(changed[2]) << "cells of blocks, which no size up to 64 has";
}

/// A placement with a schedule on the processor, on a machine with these devices.
ProgramSpace spaceWithSchedules(const std::string &devices) {
  return parseProgramSpace(R"({"name": "p", "hash": "h", "compiler": "pbc", "main": "T", "devices": )" +
                           devices +
                           R"(, "transforms": [{"name": "T", "sites": [
        {"name": "place_a", "key": "place_a", "doc": "", "device": true, "alternatives": [{"name": "cpu", "doc": ""},
         {"name": "cpu:wide", "doc": ""}, {"name": "gpu", "doc": "", "device": true}]},
        {"name": "place_b", "key": "place_b", "doc": "", "device": true, "alternatives": [{"name": "cpu", "doc": ""},
         {"name": "gpu", "doc": "", "device": true}]},
        {"name": "place_c", "key": "place_c", "doc": "",
         "alternatives": [{"name": "cpu", "doc": ""}, {"name": "cpu:wide", "doc": ""}]}],
      "tunables": [{"name": "group_x_a", "doc": "", "kind": "integer", "initial": 32, "min": 1, "max": 1024,
         "device": true, "when": [{"site": "place_a", "uses": ["gpu"]}]}]}]})");
}

TEST(ProgramSpace, SchedulesAreChoicesWithAndWithoutADevice) {
  const ProgramSpace with = spaceWithSchedules(R"(["fake:0"])"), without = spaceWithSchedules("[]");
  ASSERT_EQ(with.sites.size(), 3u);
  EXPECT_EQ(with.sites[0].alternatives.size(), 3u);
  ASSERT_EQ(with.tunables.size(), 1u);
  EXPECT_EQ(with.tunables[0].when, (std::vector<Condition>{{0, {2}}}));
  ASSERT_EQ(without.sites.size(), 2u);
  EXPECT_EQ(without.sites[0].name, "place_a");
  ASSERT_EQ(without.sites[0].alternatives.size(), 2u);
  EXPECT_EQ(without.sites[0].alternatives[1].name, "cpu:wide");
  EXPECT_EQ(without.sites[1].name, "place_c");
  EXPECT_TRUE(without.tunables.empty());
}

TEST(Mutators, ConstraintsHold) {
  const ProgramSpace space = spaceWithGroups();
  ASSERT_EQ(space.constraints.size(), 1u);
  const Bans bans;
  Random random(12);
  Configuration current = Configuration::defaults(space).withSelector(0, Selector(1));
  double largest = 0;
  for (int i = 0; i < 20000; ++i)
    if (const auto next = mutate(space, bans, current, 4096, random)) {
      current = *next;
      const double items = current.tunables()[0] * current.tunables()[1];
      ASSERT_LE(items, 1024);
      largest = std::max(largest, items);
    }
  EXPECT_GT(largest, 512);
  for (const Configuration &next : neighbours(space, bans, current, 4096))
    EXPECT_LE(next.tunables()[0] * next.tunables()[1], 1024);
}

TEST(Mutators, LognormalHalvesAsOftenAsItDoubles) {
  Random random(3);
  constexpr int kCount = 200000;
  int halved = 0, doubled = 0, below = 0;
  for (int i = 0; i < kCount; ++i) {
    const double factor = random.lognormal(1);
    halved += factor <= 0.5;
    doubled += factor >= 2;
    below += factor < 1;
  }
  EXPECT_NEAR(halved / double(kCount), doubled / double(kCount), 0.01);
  EXPECT_NEAR(halved / double(kCount), 0.244, 0.005);
  EXPECT_NEAR(below / double(kCount), 0.5, 0.005);
}

TEST(Mutators, PlainTunablesAreUniform) {
  const Tunable ratio{"T", "ratio", "", true, false, 9, 0, 8};
  Random random(5);
  std::vector<int> counts(9);
  constexpr int kCount = 90000;
  for (int i = 0; i < kCount; ++i)
    ++counts[static_cast<int>(
        *changeTunable(ratio, 9, random))]; // from outside, so that every value is a change
  double chi = 0;
  for (int count : counts)
    chi += std::pow(count - kCount / 9.0, 2) / (kCount / 9.0);
  EXPECT_LT(chi, 26.1); // 99.9 % for 8 degrees of freedom
}

TEST(Mutators, TunablesStayInRange) {
  const Tunable block{"T", "block", "", true, true, 64, 1, 4096};
  const Tunable zero{"T", "zero", "", true, true, 0, 0, 100};
  Random random(5);
  double value = 64, small = 0;
  bool left = false;
  for (int i = 0; i < 10000; ++i) {
    value = changeTunable(block, value, random).value_or(value);
    small = changeTunable(zero, small, random).value_or(small);
    ASSERT_EQ(block.clamp(value), value);
    ASSERT_EQ(zero.clamp(small), small);
    left |= small > 0;
  }
  EXPECT_TRUE(left);
}

TEST(Bans, AnAlternativeThatOnlyFailsIsNotChosenAgain) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space);
  const Configuration bad = defaults.withSelector(0, Selector(2));
  const TestSize size{"n=64", 64, 0}, smaller{"n=32", 32, 0}, larger{"n=128", 128, 0};
  Bans bans;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(bans.banned(0, 2, 64));
    bans.failed(space, bad, defaults, size, {Failure::Crash, "ends by signal 11"});
  }
  EXPECT_TRUE(bans.banned(0, 2, 10));
  EXPECT_EQ(bans.allowed(space, 0), std::vector<int>({0, 1}));
  // A level that is never reached proves nothing.
  bans.worked(defaults.withSelector(0, *Selector::fromLevels({{10, 2}, {kNoLimit, 0}})), larger);
  EXPECT_TRUE(bans.banned(0, 2, 10));
  bans.worked(bad, smaller);
  EXPECT_TRUE(bans.banned(0, 2, 64));
  EXPECT_FALSE(bans.banned(0, 2, 63));
  bans.worked(bad, larger);
  EXPECT_FALSE(bans.banned(0, 2, 64));
  ASSERT_EQ(bans.faults().size(), 1u);
  EXPECT_EQ(bans.faults()[0].suspect, "Synthetic with A2");
  EXPECT_EQ(bans.faults()[0].times, 3);
}

// Another decision had changed as well at n = 32: the alternative that fails alone at 64 also caused that
// failure.
TEST(Bans, WhoIsGuiltyAloneIsNamedWithTheSmallestSize) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space);
  const Configuration bad = defaults.withSelector(0, Selector(2));
  Bans bans;
  bans.failed(space, bad.withTunable(0, 7), defaults, {"n=32", 32, 0}, {Failure::WrongResult, "differs"});
  bans.failed(space, bad, defaults, {"n=64", 64, 0}, {Failure::WrongResult, "differs"});
  ASSERT_EQ(bans.faults().size(), 1u);
  EXPECT_EQ(bans.faults()[0].suspect, "Synthetic with A2");
  EXPECT_EQ(bans.faults()[0].n, 32);
  EXPECT_EQ(bans.faults()[0].size, "n=32");
}

TEST(Bans, TooSlowAtLargeSizesMayStillBeTheBestBelow) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space);
  Bans bans;
  for (int i = 0; i < 3; ++i)
    bans.failed(space, defaults.withSelector(0, Selector(1)), defaults, {"", 4096, 0},
                {Failure::TooSlow, ""});
  EXPECT_TRUE(bans.uses(defaults.withSelector(0, Selector(1)), 4096));
  EXPECT_TRUE(bans.uses(defaults.withSelector(0, Selector(1)), 6000));
  EXPECT_FALSE(bans.uses(defaults.withSelector(0, *Selector::fromLevels({{100, 1}, {kNoLimit, 0}})), 4096));
  EXPECT_EQ(bans.allowed(space, 0).size(), 3u);
}

/// A sort with little overhead leads at small sizes; one that is too slow at small sizes may lead at large
/// ones.
TEST(Bans, TooSlowAtSmallSizesIsTriedAgainAtTwiceTheSize) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space), slow = defaults.withSelector(0, Selector(1));
  Bans bans;
  for (int i = 0; i < 3; ++i)
    bans.failed(space, slow, defaults, {"", 64, 0}, {Failure::TooSlow, ""});
  EXPECT_TRUE(bans.uses(slow, 64));
  EXPECT_FALSE(bans.uses(slow, 128));
  bans.failed(space, slow, defaults, {"", 128, 0}, {Failure::TooSlow, ""});
  EXPECT_TRUE(bans.uses(slow, 128)) << "one more time is enough there";
  EXPECT_FALSE(bans.uses(slow, 256));
  bans.worked(slow, {"", 256, 0});
  EXPECT_FALSE(bans.uses(slow, 256));
}

TEST(Bans, TheLastStrikeIsTheOneThatBans) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space), slow = defaults.withSelector(0, Selector(1));
  Bans bans;
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(bans.isLastStrike(space, slow, defaults, {"", 64, 0}));
    bans.failed(space, slow, defaults, {"", 64, 0}, {Failure::TooSlow, ""});
  }
  EXPECT_TRUE(bans.isLastStrike(space, slow, defaults, {"", 64, 0}));
  EXPECT_FALSE(bans.isLastStrike(space, slow.withTunable(0, 4), defaults, {"", 64, 0})) << "two suspects";
  bans.worked(slow, {"", 64, 0});
  EXPECT_FALSE(bans.isLastStrike(space, slow, defaults, {"", 64, 0}));
}

TEST(Bans, AWrongResultIsTrustedNowhere) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space),
                      wrong = defaults.withSelector(0, Selector(1));
  Bans bans;
  bans.worked(wrong, {"", 64, 0});
  for (int i = 0; i < 2; ++i)
    bans.failed(space, wrong, defaults, {"", 4096, 0}, {Failure::WrongResult, ""});
  EXPECT_TRUE(bans.banned(0, 1, 10));
}

TEST(Bans, WhatIsLeftWithoutTheBannedIsTakenAtTheFullSizeOrByDefault) {
  const ProgramSpace space = syntheticSpace(4);
  const Configuration defaults = Configuration::defaults(space);
  Bans bans;
  bans.convicted(space, defaults.withSelector(0, Selector(1)), defaults, {"", 4096, 0},
                 {Failure::WrongResult, ""});
  const auto rest = [&](const std::vector<Level> &levels) {
    const Configuration before = defaults.withSelector(0, *Selector::fromLevels(levels));
    EXPECT_TRUE(bans.uses(before, 4096));
    const Configuration after = bans.without(before, 4096);
    EXPECT_FALSE(bans.uses(after, 4096));
    return after.selectors()[0].levels();
  };
  EXPECT_EQ(rest({{50, 1}, {1000, 3}, {kNoLimit, 2}}),
            (std::vector<Level>{{50, 2}, {1000, 3}, {kNoLimit, 2}}));
  EXPECT_EQ(rest({{50, 2}, {kNoLimit, 1}}), (std::vector<Level>{{50, 2}, {kNoLimit, 0}}));
  EXPECT_EQ(rest({{9000, 2}, {kNoLimit, 1}}), (std::vector<Level>{{kNoLimit, 2}})) << "for larger sizes, too";
}

TEST(Bans, WhatOneAlternativeExplainsIsSaidOnce) {
  const ProgramSpace space = syntheticSpace(3);
  const Configuration defaults = Configuration::defaults(space), bad = defaults.withSelector(0, Selector(1));
  const TestSize size{"", 64, 0};
  Bans bans;
  bans.failed(space, bad, defaults, size, {Failure::Crash, ""});
  bans.failed(space, bad.withTunable(0, 3), defaults, size, {Failure::Crash, ""}); // both are new
  bans.failed(space, bad.withTunable(0, 4), bad, size, {Failure::Crash, ""});      // only the tunable is
  ASSERT_EQ(bans.faults().size(), 1u);
  EXPECT_EQ(bans.faults()[0].suspect, "Synthetic with A1");
}

} // namespace
} // namespace pbc::tuner
