// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Changes that make no difference are undone, and no others.
#include "tests/unit/tuner/formulated.h"
#include "tuner/strategy/tidy.h"

namespace pbc::tuner {
namespace {

ProgramSpace spaceOfSix() {
  ProgramSpace space = syntheticSpace(3);
  space.tunables.clear();
  for (const char *name : {"a", "b", "c", "d", "e", "f"})
    space.tunables.push_back({"Synthetic", name, "", true, true, 128, 1, 1 << 20});
  return space;
}

Configuration changedEverywhere(const ProgramSpace &space) {
  Configuration result = Configuration::defaults(space).withSelector(
      0, Selector(0).withRangeForced(2, 4, 1).withRangeForced(1000, kNoLimit, 2));
  for (int i = 0; i < 6; ++i)
    result = result.withTunable(i, 7 + i);
  return result;
}

Configuration tidied(const ProgramSpace &space, Formula formula, double deadline = 1e9) {
  const std::vector<TestSize> sizes = powersOfTwo(4, 12);
  Formulated evaluator(sizes, std::move(formula));
  Silent silent;
  Tester tester(space, sizes, evaluator, silent);
  return tidy(tester, changedEverywhere(space), static_cast<int>(sizes.size()) - 1, deadline);
}

TEST(Tidy, WithoutTimeAFewRunsDecideAboutAllNumbers) {
  const ProgramSpace space = spaceOfSix();
  EXPECT_EQ(tidied(
                space, [](const Configuration &, long) { return 1e-3; }, 0)
                .tunables(),
            Configuration::defaults(space).tunables());
  const Configuration needed =
      tidied(space, [](const Configuration &c, long) { return c.tunables()[1] == 8 ? 1e-3 : 2e-3; }, 0);
  EXPECT_EQ(needed.tunables(), changedEverywhere(space).tunables());
  EXPECT_EQ(needed.selectors(), changedEverywhere(space).selectors());
}

TEST(Tidy, OnlyWhatMattersIsLeft) {
  const ProgramSpace space = spaceOfSix();
  // Tunables 1 and 4 matter at the full size, and the alternative for large n.
  const Configuration result = tidied(space, [](const Configuration &c, long n) {
    return 1e-3 * (c.tunables()[1] == 8 ? 1 : 1.1) * (n < 1000 || c.tunables()[4] == 11 ? 1 : 1.05) *
           (n >= 1000 && c.selectors()[0].select(n) != 2 ? 1.2 : 1);
  });
  const Configuration expected = Configuration::defaults(space)
                                     .withSelector(0, Selector(2)) // below 1000 any is as good
                                     .withTunable(1, 8)
                                     .withTunable(4, 11);
  EXPECT_EQ(result.key(), expected.key());
}

TEST(Tidy, WhatHelpsSmallSizesStays) {
  const ProgramSpace space = spaceOfSix();
  const Configuration result = tidied(
      space, [](const Configuration &c, long n) { return 1e-3 * (n < 100 && c.tunables()[2] != 9 ? 2 : 1); });
  EXPECT_EQ(result.tunables()[2], 9);
  EXPECT_EQ(result.tunables()[3], 128);
}

TEST(Tidy, ThreadsAreDecidedAtTheFullSizeOnly) {
  ProgramSpace space = spaceOfSix();
  space.tunables.push_back({"", "threads", "", true, true, 2, 1, 2});
  decideThreadsAt(space, 4096);
  const Configuration defaults = Configuration::defaults(space);
  EXPECT_FALSE(defaults.mayChange(space, 6, 2048));
  EXPECT_TRUE(defaults.mayChange(space, 6, 4096));
  EXPECT_TRUE(defaults.mayChange(space, 5, 2048));
}

} // namespace
} // namespace pbc::tuner
