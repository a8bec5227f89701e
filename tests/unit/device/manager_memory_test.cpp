// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The management thread and memory: which buffers are evicted, what is refused, memory that is shared or that
// no storage owns (requirements of petabricks-hetero 10).
#include "manager_support.h"

#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

/// Requirement 63.
TEST(ManagerMemory, MemoryIsConstantAfterManyLaunches) {
  const Bench bench("memory=64K");
  const auto a = matrix(8, 4, 1);
  for (int k = 0; k < 10000; ++k) {
    const auto b = matrix(8, 4, 0);
    bench.manager->submitNow({bench.plus(a, b, 1)});
  }
  // In half of the memory, new buffers are used instead of busy ones.
  EXPECT_LE(bench.fake().mostBytes, 32768u + kBytes);
  EXPECT_LE(bench.manager->counters().bytes, 8192 + 2 * kBytes); // a part of the memory may rest
  EXPECT_TRUE(eventually([&] { return bench.manager->counters().restingBytes > 0; }));
  EXPECT_LE(bench.manager->counters().restingBytes, 8192u);
  EXPECT_EQ(bench.manager->counters().evictions, 0u);
  EXPECT_TRUE(eventually([&] { return bench.fake().events <= 200; })) << bench.fake().events; // of buffers
  const auto b = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_EQ(read(bench, b), 2);
}

/// Requirement 64.
TEST(ManagerMemory, CleanBuffersGiveWay) {
  const Bench bench("memory=1K"); // four matrices
  const auto in = matrix(8, 4, 1);
  std::vector<Matrix2> out;
  for (int k = 0; k < 12; ++k) {
    out.push_back(matrix(8, 4, 0));
    EXPECT_EQ(bench.manager->submitNow({copiesOut(bench.plus(in, out.back(), k))}).count, 1);
    bench.manager->copyOutNow(all(out.back()));
  }
  for (int k = 0; k < 12; ++k)
    EXPECT_EQ(valueOf(out[static_cast<std::size_t>(k)]), 1 + k);
  EXPECT_GE(bench.manager->counters().evictions, 8u);
  EXPECT_EQ(bench.fake().copiesIn, 1) << "what was used last gave way";
  EXPECT_EQ(bench.fake().copiesOut, 12);
}

/// Requirement 64: results are copied out before they give way.
TEST(ManagerMemory, DirtyBuffersGiveWayLast) {
  const Bench bench("memory=1K");
  const auto in = matrix(8, 4, 1);
  std::vector<Matrix2> out;
  std::vector<Launch> launches;
  for (int k = 0; k < 12; ++k) {
    out.push_back(matrix(8, 4, 0));
    launches.push_back(bench.plus(in, out.back(), k));
  }
  EXPECT_EQ(bench.manager->submitNow(std::move(launches)).count, 12);
  for (int k = 0; k < 12; ++k)
    EXPECT_EQ(read(bench, out[static_cast<std::size_t>(k)]), 1 + k);
  EXPECT_GE(bench.manager->counters().evictions, 8u);
}

/// Requirement 64.
TEST(ManagerMemory, ALaunchThatDoesNotFitIsRefused) {
  const Bench bench("memory=1K");
  const auto in = matrix(8, 4, 1), out = matrix(8, 4, 0), large = matrix(100, 100, 1),
             result = matrix(100, 100, 2);
  const Submitted s = bench.manager->submitNow(
      {bench.plus(in, out, 1), bench.plus(large, result, 1), bench.plus(in, out, 2)});
  EXPECT_EQ(s.count, 1);
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::OutOfMemory);
  EXPECT_EQ(read(bench, out), 2);
  EXPECT_EQ(read(bench, result), 2) << "a refused launch changes nothing";
  EXPECT_EQ(bench.manager->submitNow({bench.plus(in, out, 5)}).count, 1);
  EXPECT_EQ(read(bench, out), 6);
}

/// A driver may free memory in a thread that is not scheduled for a long time.
TEST(ManagerMemory, MemoryThatWasGivenUpMayTakeAWhile) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  int allocations = 0;
  const Bench bench("memory=600", 1, 0, nullptr, [&](const char *call) {
    const bool isLate = Clock::now() > begin + std::chrono::milliseconds(60);
    if (std::string(call) == "allocate" && ++allocations > 2 && !isLate)
      throw DeviceError(Failure::OutOfMemory, "not yet");
  });
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 2), c = matrix(8, 4, 3);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 1)}).count, 1);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(b, c, 1)}).count, 1);
  EXPECT_GT(allocations, 3);
  EXPECT_EQ(read(bench, c), 3);
}

/// A launch that can never fit is refused without waiting.
TEST(ManagerMemory, WhatNeverFitsIsRefusedAtOnce) {
  int allocations = 0;
  const Bench bench("memory=600", 1, 0, nullptr,
                    [&](const char *call) { allocations += std::string(call) == "allocate"; });
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 2), c = matrix(8, 9, 3);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 1)}).count, 1);
  EXPECT_EQ(read(bench, b), 2);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, c, 1, 0, 4)}).count, 0);
  EXPECT_LT(allocations, 8);
}

/// Three matrices of a launch must be there at once, with room for two.
TEST(ManagerMemory, ALaunchKeepsItsOwnBuffers) {
  const Bench bench("memory=600");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 2), c = matrix(8, 4, 3);
  Launch l = bench.plus(a, b, 1);
  l.matrices.push_back({all(c), {{0, 0}, {8, 4}}, {}, true});
  const Submitted s = bench.manager->submitNow({l});
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::OutOfMemory);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 1)}).count, 1);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(b, c, 1)}).count, 1);
  EXPECT_EQ(read(bench, c), 3);
}

TEST(ManagerMemory, ARefusedLaunchChangesNothing) {
  const Bench bench("fail=launch:2");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  const Submitted s =
      bench.manager->submitNow({bench.plus(a, b, 1), bench.plus(a, b, 2), bench.plus(a, b, 3)});
  EXPECT_EQ(s.count, 1);
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::Launch);
  EXPECT_NE(std::string(s.why->what()).find("plus"), std::string::npos);
  EXPECT_EQ(read(bench, b), 2);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 4)}).count, 1);
  EXPECT_EQ(read(bench, b), 5);
}

TEST(ManagerMemory, ARefusedCopyRefusesTheLaunch) {
  const Bench bench("fail=copy:1");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 1)}).count, 0);
  EXPECT_EQ(bench.manager->submitNow({bench.plus(a, b, 1)}).count, 1);
  EXPECT_EQ(read(bench, b), 2);
}

/// Memory without a storage is copied to the device and back before submit() has ended.
TEST(ManagerMemory, MemoryThatNoStorageOwns) {
  const Bench bench;
  double in[2][4] = {{1, 1, 1, -5}, {1, 1, 1, -5}}, out[2][4] = {{0, 0, 0, -7}, {0, 0, 0, -7}};
  const long stride[] = {1, 4};
  const int extent[] = {3, 2};
  const Matrix2 a(&in[0][0], stride, extent), b(&out[0][0], stride, extent);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_EQ(valueOf(b), 2);
  EXPECT_EQ(out[0][3], -7);
  // One launch reads what the one before wrote.
  EXPECT_EQ(bench.manager->submitNow({bench.plus(b, a, 1), bench.plus(a, b, 1)}).count, 2);
  EXPECT_EQ(valueOf(b), 4);
  EXPECT_EQ(in[1][3], -5);
}

/// Requirement 104.
TEST(ManagerMemory, SharedMemoryNeedsNoCopies) {
  const Bench bench("shares=1 latency=50ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_FALSE(bench.table.isOnHost(all(b))); // the kernel has not ended
  EXPECT_FALSE(bench.table.isUntouched(all(a)));
  EXPECT_EQ(read(bench, b), 2);
  write(bench, a, 10);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  bench.manager->submitNow({bench.plus(b, a, 1)});
  EXPECT_EQ(read(bench, a), 12);
  EXPECT_EQ(read(bench, b), 11);
  const FakeCounters c = bench.fake();
  EXPECT_EQ(c.copiesIn + c.copiesOut + c.allocations, 0);
}

} // namespace
} // namespace pb::device::test
