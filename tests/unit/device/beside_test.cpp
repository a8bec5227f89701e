// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which launches run beside others.
#include "runtime/device/beside.h"

#include "manager_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

class Beside : public testing::Test {
protected:
  Launch other(Launch l) const {
    l.kernel = bench.otherPlus;
    return l;
  }
  const Bench bench;
  const Matrix2 a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
};

TEST_F(Beside, PartsOfOneMatrixUntilSomebodyReadsIt) {
  const std::vector<Launch> launches = {bench.plus(a, b, 1, 0, 2), other(bench.plus(a, b, 2, 2, 4)),
                                        bench.plus(b, c, 5)};
  EXPECT_THAT(forksOf(launches), testing::ElementsAre(0, 0, 2));
  EXPECT_EQ(bench.manager->submitNow(launches).count, 3);
  EXPECT_EQ(bench.fake().besides, 1);
}

/// Memory that a matrix gets may have been that of another one, which a launch since the fork uses.
TEST_F(Beside, OnlyWhereAllMatricesHadTheirMemory) {
  const std::vector<Launch> launches = {bench.plus(a, b, 1), other(bench.plus(a, c, 2))};
  bench.manager->submitNow(launches);
  EXPECT_EQ(bench.fake().besides, 0);
  bench.manager->submitNow(launches);
  EXPECT_EQ(bench.fake().besides, 1);
}

TEST_F(Beside, EachWaitsForAllThatItUsesOrOverwrites) {
  EXPECT_THAT(forksOf({bench.plus(a, b, 1), other(bench.plus(a, c, 1))}), testing::ElementsAre(0, 0));
  EXPECT_THAT(forksOf({bench.plus(a, b, 1), other(bench.plus(b, c, 1))}), testing::ElementsAre(0, 1))
      << "reads it";
  EXPECT_THAT(forksOf({bench.plus(a, b, 1), other(bench.plus(c, a, 1))}), testing::ElementsAre(0, 1))
      << "overwrites what is read";
  EXPECT_THAT(forksOf({bench.plus(a, b, 1), other(bench.plus(c, b, 1))}), testing::ElementsAre(0, 1))
      << "writes the same";
  EXPECT_THAT(forksOf({bench.plus(a, b, 1, 0, 2), bench.plus(a, b, 1, 2, 4)}), testing::ElementsAre(0, 1))
      << "one kernel";
}

TEST_F(Beside, TheOneBeforeThatMattersMayBeAnEarlierOne) {
  EXPECT_THAT(forksOf({bench.plus(a, b, 1), other(bench.plus(a, c, 1)), bench.plus(c, b, 1)}),
              testing::ElementsAre(0, 0, 2));
}

TEST_F(Beside, PartialResultsAreInMemoryThatIsUsedAgain) {
  Launch teams = bench.plus(a, b, 1);
  teams.teams.bytes = 64;
  EXPECT_THAT(forksOf({teams, other(bench.plus(a, c, 1))}), testing::ElementsAre(0, 1));
}

} // namespace
} // namespace pb::device::test
