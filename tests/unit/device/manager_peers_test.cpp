// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies between devices, without the processor's memory.
#include "manager_support.h"

#include "runtime/device/record.h"
#include <gtest/gtest.h>
#include <thread>

namespace pb::device::test {
namespace {

/// Two devices that share a table.
struct Pair {
  /// `limit`: of the first device.
  explicit Pair(const std::string &a = "", const std::string &b = "",
                std::chrono::milliseconds limit = std::chrono::seconds(30))
      : table(2), first(a, 2, 0, &table, {}, limit), second(b, 2, 1, &table) {}
  Table table;
  const Bench first, second;
};

TEST(ManagerPeers, WhatAnotherDeviceHasComesFromThere) {
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
  const Pair pair("latency=100us", "latency=100us");
  ASSERT_EQ(pair.first.manager->submitNow({pair.first.plus(a, b, 5)}).count, 1);
  ASSERT_EQ(pair.second.manager->submitNow({pair.second.plus(b, c, 10)}).count, 1);
  EXPECT_EQ(pair.first.fake().copiesOut, 0);
  EXPECT_EQ(pair.second.fake().copiesIn, 0);
  EXPECT_EQ(pair.first.manager->counters().copiesAcross, 1u);
  EXPECT_EQ(pair.first.manager->counters().bytesAcross, kBytes);
  EXPECT_FALSE(pair.table.isOnHost(all(b)));
  EXPECT_TRUE(pair.table.isOnDevice(0, all(b)) && pair.table.isOnDevice(1, all(b)));
  EXPECT_EQ(read(pair.second, c), 16);
  EXPECT_EQ(read(pair.second, b), 6); // from either
}

TEST(ManagerPeers, OnlyWhatIsMissingIsCopied) {
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
  const Pair pair;
  pair.first.manager->submitNow({pair.first.plus(a, b, 5, 0, 3)});
  pair.second.manager->submitNow({pair.second.plus(a, b, 7, 3, 4), pair.second.plus(b, c, 0)});
  EXPECT_EQ(pair.first.manager->counters().bytesAcross, kBytes / 4 * 3);
  read(pair.second, c);
  EXPECT_EQ(c.cell(0, 2), 6);
  EXPECT_EQ(c.cell(0, 3), 8);
  // Back again, after the second device has overwritten a part.
  pair.second.manager->submitNow({pair.second.plus(a, b, 1, 0, 1)});
  pair.first.manager->submitNow({pair.first.plus(b, c, 0)});
  EXPECT_EQ(pair.second.manager->counters().bytesAcross, kBytes / 4 * 2);
  read(pair.first, c);
  EXPECT_EQ(c.cell(0, 0), 2);
  EXPECT_EQ(c.cell(0, 2), 6);
}

TEST(ManagerPeers, EachDevicesCommandsKeepTheirOrder) {
  const auto a = matrix(64, 64, 0), b = matrix(64, 64, 0);
  const Pair pair("latency=50us", "latency=20us");
  for (int k = 0; k < 40; ++k) {
    const Bench &one = k % 2 ? pair.second : pair.first;
    one.manager->submitNow(
        {one.plus(a, b, 1), one.plus(b, a, 1)}); // the other device still reads what this one overwrites
  }
  EXPECT_EQ(pair.first.fake().copiesOut + pair.second.fake().copiesOut, 0);
  EXPECT_EQ(read(pair.second, a), 80);
}

TEST(ManagerPeers, ARefusedCopyGoesByWayOfTheProcessor) {
  for (const std::string why : {"fail=across:1", "peers=0", "shares=1"}) {
    const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
    const Pair pair(why);
    pair.first.manager->submitNow({pair.first.plus(a, b, 5)});
    ASSERT_EQ(pair.second.manager->submitNow({pair.second.plus(b, c, 10)}).count, 1) << why;
    EXPECT_EQ(pair.first.manager->counters().copiesAcross, 0u) << why;
    EXPECT_EQ(read(pair.second, c), 16) << why;
  }
}

TEST(ManagerPeers, WhatIsLostOnTheWayIsLost) {
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 3);
  const Pair pair("fail=lost:3"); // after copy-in and kernel
  pair.first.manager->submitNow({pair.first.plus(a, b, 5)});
  const Submitted s = pair.second.manager->submitNow({pair.second.plus(b, c, 10)});
  ASSERT_EQ(s.count, 0);
  EXPECT_EQ(s.why->failure(), Failure::Launch);
  EXPECT_TRUE(pair.table.isLost(all(b)));
  ASSERT_EQ(pair.second.manager->submitNow({pair.second.plus(a, c, 1)}).count,
            1); // the second device goes on
  EXPECT_EQ(read(pair.second, c), 2);
}

TEST(ManagerPeers, ACopyThatHangsIsGivenUpWithTheBufferThatItWrites) {
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 3);
  const Pair pair("fail=hang:3", "", std::chrono::milliseconds(10));
  pair.first.manager->submitNow({pair.first.plus(a, b, 5)});
  const Submitted s = pair.second.manager->submitNow({pair.second.plus(b, c, 10)});
  ASSERT_EQ(s.count, 0);
  EXPECT_TRUE(pair.table.isLost(all(b)));
  write(pair.second, b, 1);
  ASSERT_EQ(pair.second.manager->submitNow({pair.second.plus(b, c, 1)}).count, 1);
  pair.first.device->release(); // writes what nothing uses any more
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(read(pair.second, c), 2);
  ASSERT_EQ(pair.second.manager->submitNow({pair.second.plus(b, c, 2)}).count, 1);
  EXPECT_EQ(read(pair.second, c), 3);
}

} // namespace
} // namespace pb::device::test
