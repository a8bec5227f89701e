// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Shares that are found by measuring, tested with models of the two sides (requirement 100).
#include "runtime/device/balance.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

/// The time of each side: a fixed time, if it has anything to do, and a time for each point.
struct Model {
  double deviceOwn, devicePoint, processorOwn, processorPoint;
  static constexpr long kPoints = 6400;

  double device(double share) const { return share > 0 ? deviceOwn + devicePoint * kPoints * share / 64 : 0; }
  double processor(double share) const {
    return share < 64 ? processorOwn + processorPoint * kPoints * (64 - share) / 64 : 0;
  }
  double time(double share) const { return std::max(device(share), processor(share)); }
  double best(int step) const {
    double least = time(0);
    for (int share = 0; share <= 64; share += step)
      least = std::min(least, time(share));
    return least;
  }
};

/// Simulates a call with the model's times; returns its share.
int call(Balance &balance, const Model &model) {
  balance.begin();
  const int share = balance.share();
  if (share == 0 || share == 64)
    return share;
  const auto times = balance.measure(100L * share, 100L * (64 - share));
  times->processor = static_cast<unsigned long>(model.processor(share));
  // The end is taken from the clock, so the beginning is moved back.
  times->begin = Trace::now() - static_cast<unsigned long>(model.device(share));
  times->device->one();
  return share;
}

class BalanceOf : public testing::TestWithParam<Model> {};
INSTANTIATE_TEST_SUITE_P(Models, BalanceOf,
                         testing::Values(Model{0, 1e6, 0, 1e6}, Model{0, 1e6, 0, 5e6}, Model{0, 9e6, 0, 1e6},
                                         Model{2e9, 1e6, 0, 1e6}, Model{4e9, 2e5, 0, 1e6},
                                         Model{5e9, 1e5, 0, 1e6}, Model{0, 1e6, 3e9, 1e6},
                                         Model{1e9, 1e6, 1e9, 3e6}, Model{9e9, 1e6, 0, 1e6},
                                         Model{0, 1e5, 9e9, 1e5}));

TEST_P(BalanceOf, ReachesTheBestShareInTenCalls) {
  Balance balance;
  int share = 0;
  for (int k = 0; k < 10; ++k)
    share = call(balance, GetParam());
  // The share must be within two 64ths of the best one, and not slower than the best eighth by more than two
  // percent and the effect of these two 64ths.
  bool isNear = false;
  for (int other = std::max(0, share - 2); other <= std::min(64, share + 2); ++other)
    isNear |= GetParam().time(other) == GetParam().best(1);
  EXPECT_TRUE(isNear) << share;
}

TEST_P(BalanceOf, IsNeverMuchSlowerThanTheBestEighth) { // margin: two percent, when it has settled
  Balance balance;
  for (int k = 0; k < 12; ++k)
    call(balance, GetParam());
  double sum = 0, eighths = 0;
  for (int k = 0; k < 200; ++k, eighths += GetParam().best(8))
    sum += GetParam().time(call(balance, GetParam()));
  EXPECT_LE(sum, 1.02 * eighths);
}

TEST(Balance, CallsThatFailSayNothing) {
  Balance balance;
  for (int k = 0; k < 20; ++k) {
    balance.begin();
    (void)balance.measure(50, 50);
  }
  balance.begin();
  EXPECT_EQ(balance.share(), 32);
}

TEST(Balance, FollowsWhenTheSpeedsChange) {
  Balance balance;
  const Model fast{0, 1e6, 0, 7e6}, slow{0, 7e6, 0, 1e6};
  for (int k = 0; k < 10; ++k)
    call(balance, fast);
  EXPECT_NEAR(balance.share(), 56, 2);
  for (int k = 0; k < 10; ++k)
    call(balance, slow);
  EXPECT_NEAR(balance.share(), 8, 2);
}

} // namespace
} // namespace pb::device::test
