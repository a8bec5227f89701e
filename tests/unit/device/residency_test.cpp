// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The table of what is valid where, without any device.
#include "manager_support.h"
#include "runtime/device/record.h"
#include "runtime/matrix/storage.h"
#include <gtest/gtest.h>
#include <thread>

namespace pb::device::test {
namespace {

TEST(Residency, WhatNoDeviceKnowsIsOnTheHost) {
  Table table(1);
  const auto m = matrix(8, 4, 0);
  EXPECT_TRUE(table.isOnHost(all(m)));
  EXPECT_TRUE(table.isUntouched(all(m)));
  EXPECT_TRUE(table.missingOnHost(all(m)).isEmpty());
  EXPECT_TRUE(table.hostWrites(all(m)));
  EXPECT_EQ(Table::find(m.owner()), nullptr); // none of this makes a record
  AnyRegion scalar;
  double x = 0;
  scalar.base = &x;
  EXPECT_TRUE(table.isOnHost(placeOf(scalar, 0, 8)));
}

/// Requirements 32 and 33.
TEST(Residency, AWriteOfTheHostMakesThatPartStale) {
  Table table(2);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  record->wrote(0, part(m, 0, 0, 8, 4));
  EXPECT_TRUE(table.isOnDevice(0, part(m, 0, 0, 8, 4)));
  EXPECT_FALSE(table.isOnHost(part(m, 2, 3, 3, 5)));
  EXPECT_TRUE(table.isOnHost(part(m, 0, 4, 8, 8)));
  EXPECT_TRUE(table.hostWrites(part(m, 2, 1, 6, 3)));
  EXPECT_FALSE(table.isOnDevice(0, part(m, 2, 1, 6, 3)));
  EXPECT_FALSE(table.isOnDevice(0, part(m, 0, 0, 3, 2)));
  EXPECT_TRUE(table.isOnHost(part(m, 2, 1, 6, 3)));
  EXPECT_TRUE(table.isOnDevice(0, part(m, 0, 0, 8, 1))); // the cells around it are still valid
  EXPECT_EQ(table.missingOnHost(all(m)).cells(), 8 * 4 - 4 * 2);
  record->wrote(1, part(m, 0, 0, 8, 1));
  EXPECT_FALSE(table.isOnDevice(0, part(m, 0, 0, 1, 1))); // stale cells are valid on one device
}

TEST(Residency, TransposedViewsAndRowsAreTheSameCells) {
  Table table(1);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  const auto t = m.transposed();
  record->wrote(0, part(t, 0, 2, 8, 3)); // column 2 of m
  EXPECT_FALSE(table.isOnHost(part(m, 2, 0, 3, 8)));
  EXPECT_TRUE(table.isOnHost(part(m, 3, 0, 8, 8)));
  const auto row = m.row(5);
  AnyRegion r;
  r.base = row.base(), r.owner = row.owner(), r.stride[0] = row.strides()[0], r.extent[0] = row.size(0);
  EXPECT_EQ(table.missingOnHost(placeOf(r, 1, 8)).cells(), 1);
}

/// A copy-out that lands after the device has written again.
TEST(Residency, WhatIsWrittenDuringACopyStaysStale) {
  Table table(1);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  record->wrote(0, all(m));
  const CopyPlan plan = record->planOut(0, nullptr, true, false, nullptr);
  ASSERT_EQ(plan.state, CopyPlan::State::Go);
  EXPECT_EQ(record->planOut(0, nullptr, true, false, nullptr).state,
            CopyPlan::State::Nothing); // once is enough
  EXPECT_FALSE(table.isOnHost(all(m)));
  record->wrote(0, part(m, 0, 0, 8, 1));
  record->landed(plan.flight);
  EXPECT_TRUE(table.isOnHost(part(m, 0, 1, 8, 8)));
  EXPECT_FALSE(table.isOnHost(part(m, 0, 0, 8, 1)));
}

TEST(Residency, ReadersOfTheHostsMemoryKeepWritersAway) {
  Table table(2);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  const Cells top{{0, 0}, {8, 2}};
  const CopyPlan in = record->planIn(0, all(m), &top, nullptr, true);
  ASSERT_EQ(in.state, CopyPlan::State::Go);
  EXPECT_TRUE(table.isOnHost(all(m)));
  EXPECT_FALSE(table.isUntouched(part(m, 0, 1, 1, 2)));
  EXPECT_TRUE(table.isUntouched(part(m, 0, 2, 8, 8)));
  EXPECT_FALSE(table.hostWrites(all(m)));
  EXPECT_TRUE(table.hostWrites(part(m, 0, 2, 8, 3)));
  record->given(*in.flight);
  record->wrote(1, all(m));
  EXPECT_EQ(record->planOut(1, nullptr, true, false, nullptr).state,
            CopyPlan::State::Wait); // 0 still reads there
  record->landed(in.flight);
  const CopyPlan out = record->planOut(1, nullptr, true, false, nullptr);
  ASSERT_EQ(out.state, CopyPlan::State::Go);
  record->landed(out.flight);
}

/// Requirement 59.
TEST(Residency, OnlyWhatIsMissingIsCopiedIn) {
  Table table(1);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  record->wrote(0, part(m, 0, 2, 8, 4));
  const Cells everything{{0, 0}, {8, 8}};
  const CopyPlan plan = record->planIn(0, all(m), &everything, nullptr, true);
  unsigned long bytes = 0;
  for (const Transfer &t : plan.transfers)
    bytes += t.bytes * static_cast<unsigned long>(t.rows * t.planes);
  EXPECT_EQ(bytes, 8u * (64 - 16));
  record->landed(plan.flight);
}

TEST(Residency, LostCellsAreKnownUntilTheyAreWritten) {
  Table table(1);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  record->wrote(0, part(m, 0, 0, 8, 4));
  record->abandon(0);
  EXPECT_TRUE(table.isLost(part(m, 7, 3, 8, 5)));
  EXPECT_FALSE(table.isLost(part(m, 0, 4, 8, 8)));
  EXPECT_TRUE(table.hostWrites(part(m, 0, 0, 8, 4)));
  EXPECT_FALSE(table.isLost(all(m)));
  EXPECT_TRUE(table.isOnHost(all(m)));
}

/// A view that fits on no lattice counts as the whole storage; what others wrote there must not be lost.
TEST(Residency, WritesThroughOverlappingViewsLoseNothing) {
  Table table(1);
  const auto m = matrix(8, 8, 0);
  const auto record = table.recordOf(m.owner());
  record->wrote(0, part(m, 0, 6, 8, 8));
  AnyRegion windows = anyOf(m);
  windows.stride[1] = 2, windows.extent[0] = 4, windows.extent[1] = 3;
  const Place w = placeOf(windows, 2, 8);
  EXPECT_FALSE(table.isExact(w));
  EXPECT_FALSE(table.isOnHost(w));
  EXPECT_FALSE(table.hostWrites(w));
  EXPECT_EQ(table.missingOnHost(all(m)).cells(), 16);
  const CopyPlan out = record->planOut(0, &w, true, false, nullptr);
  ASSERT_EQ(out.state, CopyPlan::State::Go);
  record->landed(out.flight);
  EXPECT_TRUE(table.hostWrites(w));
  EXPECT_FALSE(table.isOnDevice(0, part(m, 0, 6, 8, 8)));
}

/// Requirement 34: a record is destroyed with its storage, and tells the devices that have buffers.
TEST(Residency, RecordsDieWithTheirStorage) {
  class CountedBuffer : public Buffer {};
  Table table(1);
  int woken = 0;
  std::size_t recordsThen = 0;
  table.estate(0).setWake([&] { ++woken, recordsThen = table.records().size(); });
  {
    const auto m = matrix(8, 8, 0);
    const auto record = table.recordOf(m.owner());
    record->setBuffer(0, std::make_unique<CountedBuffer>(), false);
    EXPECT_EQ(table.records().size(), 1u);
  }
  EXPECT_EQ(woken, 1);
  EXPECT_EQ(recordsThen, 1u) << "who looks for buffers just then finds them";
  EXPECT_TRUE(table.records().empty());
  const auto dead = table.estate(0).take();
  ASSERT_EQ(dead.size(), 1u);
  EXPECT_EQ(dead[0].bytes, 8u * 64);
}

TEST(Residency, AFlightKeepsTheStorage) {
  Table table(1);
  std::shared_ptr<Record> record;
  CopyPlan plan;
  {
    const auto m = matrix(8, 8, 0);
    record = table.recordOf(m.owner());
    record->wrote(0, all(m));
    plan = record->planOut(0, nullptr, true, false, nullptr);
  }
  EXPECT_EQ(table.records().size(), 1u);
  record->landed(plan.flight);
  EXPECT_TRUE(table.records().empty());
  EXPECT_EQ(record->planOut(0, nullptr, true, false, nullptr).state, CopyPlan::State::Nothing);
}

TEST(Residency, OneRecordHoweverManyAskAtOnce) {
  for (int trial = 0; trial < 50; ++trial) {
    Table table(1);
    const auto m = matrix(8, 8, 0);
    std::shared_ptr<Record> seen[4];
    std::vector<std::thread> threads;
    for (auto &s : seen)
      threads.emplace_back([&] { s = table.recordOf(m.owner()); });
    for (auto &t : threads)
      t.join();
    for (const auto &s : seen)
      EXPECT_EQ(s, seen[0]);
  }
}

} // namespace
} // namespace pb::device::test
