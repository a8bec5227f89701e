// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/errors.h"
#include "runtime/device/fake/fake_options.h"

#include <gmock/gmock.h>

namespace pb::device {
namespace {

TEST(FakeOptions, EachWordSetsOneThing) {
  const FakeOptions o = parseFakeOptions("memory=64M latency=50us;bandwidth=10G speed=0.5 units=4 local=48K "
                                         "group=256 double=0 shares=1 devices=2 groups_wait=1");
  EXPECT_EQ(o.memory, 64UL << 20);
  EXPECT_DOUBLE_EQ(o.latency, 50e-6);
  EXPECT_DOUBLE_EQ(o.bandwidth, 10.0 * (1 << 30));
  EXPECT_DOUBLE_EQ(o.speed, 0.5);
  EXPECT_EQ(o.units, 4);
  EXPECT_EQ(o.local, 48UL << 10);
  EXPECT_EQ(o.group, 256);
  EXPECT_EQ(o.devices, 2);
  EXPECT_FALSE(o.hasDouble);
  EXPECT_TRUE(o.shares);
  EXPECT_TRUE(o.groupsWait);
  EXPECT_TRUE(o.faults.empty());
}

TEST(FakeOptions, NothingIsAllThatIsUsual) {
  EXPECT_EQ(parseFakeOptions("").memory, 1UL << 30);
  EXPECT_EQ(parseFakeOptions("1").memory, 1UL << 30);
}

TEST(FakeOptions, Faults) {
  const FakeOptions o =
      parseFakeOptions("fail=build:pb_k3,launch:3,memory:5+ fail=lost:7,chain:2,wrong:4,lock:1");
  ASSERT_EQ(o.faults.size(), 7u);
  EXPECT_EQ(o.faults[0].entry, "pb_k3");
  EXPECT_TRUE(o.faults[1].hits(FakeFault::Launch, 3));
  EXPECT_FALSE(o.faults[1].hits(FakeFault::Launch, 4));
  EXPECT_FALSE(o.faults[1].hits(FakeFault::Copy, 3));
  EXPECT_FALSE(o.faults[2].hits(FakeFault::Memory, 4));
  EXPECT_TRUE(o.faults[2].hits(FakeFault::Memory, 99));
  EXPECT_TRUE(o.faults[3].hits(FakeFault::Lost, 7));
  EXPECT_TRUE(o.faults[4].hits(FakeFault::Chain, 2));
  EXPECT_TRUE(o.faults[5].hits(FakeFault::Wrong, 4));
  EXPECT_TRUE(o.faults[6].hits(FakeFault::Lock, 1));
}

TEST(FakeOptions, WrongOnesSayWhatIsRight) {
  const auto message = [](const char *text) -> std::string {
    try {
      parseFakeOptions(text);
      return "";
    } catch (const base::UserError &problem) {
      return problem.what();
    }
  };
  using testing::HasSubstr;
  EXPECT_THAT(message("memroy=4"),
              HasSubstr("PB_FAKE_DEVICE: memroy=4: expected NAME=VALUE, NAME one of bandwidth"));
  EXPECT_THAT(message("memory=4Q"), HasSubstr("expected a number with a unit (K, M, G), found '4Q'"));
  EXPECT_THAT(message("latency=4"), HasSubstr("(ns, us, ms, s)"));
  EXPECT_THAT(message("speed=2"), HasSubstr("at most 1"));
  EXPECT_THAT(message("units=0"), HasSubstr("at least 1"));
  EXPECT_THAT(message("fail=explode:1"), HasSubstr("faults are build:NAME"));
  EXPECT_THAT(message("fail=launch:0"), HasSubstr("from 1"));
  EXPECT_THAT(message("fail=launch:x"), HasSubstr("launch:3"));
}

} // namespace
} // namespace pb::device
