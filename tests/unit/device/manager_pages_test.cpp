// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Page-locking of matrices that are copied again, behind the management thread.
#include "manager_support.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace pb::device::test {
namespace {

using namespace std::chrono_literals;

/// A manager that locks everything that is copied twice.
struct Locking {
  explicit Locking(const std::string &text = "", HookedDevice::Hook hook = [](const char *) {}) {
    auto fake = std::make_unique<FakeDevice>(withKernels(text));
    device = fake.get();
    launches.plusKernel = fake->build({"", "plus"});
    Options options;
    options.lockFrom = kBytes;
    manager = std::make_unique<Manager>(std::make_unique<HookedDevice>(std::move(fake), std::move(hook)),
                                        table, options);
  }
  /// b = a + value, after the host has written a.
  void again(const Matrix2 &a, const Matrix2 &b, double value) {
    writeHere(a, value);
    EXPECT_EQ(manager->submitNow({launches.plus(a, b, 1)}).count, 1);
    manager->copyOutNow(all(b));
    EXPECT_EQ(valueOf(b), value + 1);
  }
  void writeHere(const Matrix2 &m, double value) {
    while (!table.hostWrites(all(m)))
      std::this_thread::yield();
    for (long k = 0; k < m.count(); ++k)
      m.base()[k] = value;
  }
  FakeCounters counters() const { return device->counters(); }

  Table table{1};
  Bench launches; // makes them
  FakeDevice *device = nullptr;
  std::unique_ptr<Manager> manager;
};

TEST(ManagerPages, WhatIsCopiedTwiceIsLockedUntilItIsReleased) {
  Locking bench;
  const auto small = matrix(4, 4, 0);
  {
    const auto a = matrix(8, 4, 0), b = matrix(8, 4, 0);
    bench.again(a, b, 3);
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(bench.counters().locks, 0); // once is not worth it
    bench.again(a, b, 4);
    ASSERT_TRUE(eventually([&] { return bench.counters().locked == 2; }));
    EXPECT_TRUE(eventually([&] { return bench.manager->counters().lockedBytes == 2 * kBytes; }));
    const long before = bench.counters().lockedCopies;
    bench.again(a, b, 5);
    EXPECT_EQ(bench.counters().lockedCopies - before, 2); // in and out
    EXPECT_EQ(bench.counters().locks, 2);
  }
  EXPECT_TRUE(eventually([&] { return bench.counters().locked == 0; }));
  EXPECT_EQ(bench.manager->counters().lockedBytes, 0u);
  const auto other = matrix(4, 4, 0);
  for (int k = 0; k < 4; ++k)
    bench.again(small, other, k);
  EXPECT_EQ(bench.counters().locks, 2); // small ones are staged
}

TEST(ManagerPages, WhereLockingIsRefusedStagingGoesOn) {
  Locking bench("fail=lock:1+");
  const auto a = matrix(8, 4, 0), b = matrix(8, 4, 0);
  for (int k = 0; k < 5; ++k)
    bench.again(a, b, k);
  EXPECT_TRUE(eventually([&] { return bench.counters().locks == 2; })); // and it is not asked for again
  EXPECT_EQ(bench.counters().locked, 0);
  EXPECT_EQ(bench.counters().lockedCopies, 0);
}

TEST(ManagerPages, NothingWaitsForALock) {
  std::atomic<int> locking = 0;
  std::atomic<bool> mayGoOn = false;
  Locking bench("", [&](const std::string &call) {
    if (call != "lock")
      return;
    ++locking;
    while (!mayGoOn)
      std::this_thread::sleep_for(1ms);
  });
  auto a = matrix(8, 4, 0);
  const auto b = matrix(8, 4, 0);
  bench.again(a, b, 1);
  bench.again(a, b, 2);
  ASSERT_TRUE(eventually([&] { return locking == 1; }));
  for (int k = 3; k < 20; ++k)
    bench.again(a, b, k);
  a = Matrix2(); // its memory stays until it is locked, and is unlocked then
  mayGoOn = true;
  EXPECT_TRUE(eventually([&] { return locking == 2 && bench.counters().locked == 1; }));
}

TEST(ManagerPages, MatricesMayOutliveTheDevice) {
  const auto a = matrix(8, 4, 0), b = matrix(8, 4, 0);
  Locking bench;
  bench.again(a, b, 1);
  bench.again(a, b, 2);
  ASSERT_TRUE(eventually([&] { return bench.counters().locked == 2; }));
  bench.manager.reset(); // closes the device
}

} // namespace
} // namespace pb::device::test
