// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The management thread and chains: rounds that are given as one command.
#include "manager_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pb::device::test {
namespace {

/// What `rounds` makes of 0.
double afterRounds(long count, double value = 0) {
  for (long k = 0; k < count; ++k)
    value = value * 2 + static_cast<double>(k);
  return value;
}

TEST(ManagerChain, AHundredRoundsAreOneGraphOneUploadAndOneDownload) {
  const Bench bench;
  const auto a = matrix(8, 1, 0);
  EXPECT_EQ(bench.manager->submitNow({copiesOut(bench.rounds(a, 100))}).count, 1);
  EXPECT_EQ(read(bench, a), afterRounds(100));
  const FakeCounters c = bench.fake();
  EXPECT_EQ(c.launches, 100);
  EXPECT_EQ(c.graphs, 1);
  EXPECT_EQ(c.chains, 1);
  EXPECT_EQ(c.copiesIn, 1);
  EXPECT_EQ(c.copiesOut, 1);
  EXPECT_EQ(c.allocations, 1);
  const Counters m = bench.manager->counters();
  EXPECT_EQ(m.launches, 100u);
  EXPECT_EQ(m.graphs, 1u);
  EXPECT_EQ(m.chains, 1u);
}

TEST(ManagerChain, ManyRoundsAreChainsThatAreGivenAgain) {
  const Bench bench;
  const auto a = matrix(8, 1, 0);
  constexpr long kDiagonals = 8189;
  double value = 0;
  for (int time = 0; time < 3; ++time) {
    bench.manager->submitNow({bench.rounds(a, kDiagonals)});
    value = afterRounds(kDiagonals, value);
  }
  EXPECT_EQ(read(bench, a), value);
  const FakeCounters c = bench.fake();
  EXPECT_EQ(c.launches, 3 * kDiagonals);
  EXPECT_EQ(c.graphs, (kDiagonals + 255) / 256);
  EXPECT_EQ(c.chains, 3 * c.graphs);
  EXPECT_TRUE(eventually([&] { return bench.fake().events <= 8; })) << bench.fake().events;
}

TEST(ManagerChain, AFewRoundsAreAChainWhenTheyComeAgain) {
  const Bench bench;
  const auto a = matrix(8, 1, 0);
  double value = 0;
  for (const auto &[graphs, chains] : {std::pair(0, 0), {1, 1}, {1, 2}}) {
    bench.manager->submitNow({bench.rounds(a, 10)});
    value = afterRounds(10, value);
    EXPECT_EQ(read(bench, a), value);
    EXPECT_EQ(bench.fake().graphs, graphs);
    EXPECT_EQ(bench.fake().chains, chains);
  }
  EXPECT_EQ(bench.fake().launches, 30);
}

TEST(ManagerChain, AGraphThatCannotBeMadeIsSaidOnce) {
  Table table(1);
  auto fake = std::make_unique<FakeDevice>(withKernels("fail=chain:2"));
  Bench bench; // for its launches
  bench.roundKernel = fake->build({"", "round"});
  std::vector<std::string> said;
  std::mutex mutex;
  Options options;
  options.say = [&](const std::string &text) {
    const std::lock_guard hold(mutex);
    said.push_back(text);
  };
  Manager manager(std::move(fake), table, options);
  const auto a = matrix(8, 1, 0);
  for (int time = 0; time < 2; ++time)
    EXPECT_EQ(manager.submitNow({bench.rounds(a, 700)}).count, 1);
  manager.copyOutNow(all(a));
  EXPECT_EQ(valueOf(a), afterRounds(700, afterRounds(700)));
  EXPECT_EQ(manager.counters().launches, 1400u);
  EXPECT_EQ(manager.counters().chains, 1u);
  const std::lock_guard hold(mutex);
  EXPECT_THAT(said,
              testing::ElementsAre("launches are given to fake device 0 one by one: the fake device makes no "
                                   "graph, as was asked for"));
}

/// What earlier chains have overwritten is undone if the host has it.
TEST(ManagerChain, AChainThatIsRefusedHasChangedNothing) {
  Bench bench("fail=launch:300");
  const auto a = matrix(8, 1, 5);
  const Submitted s = bench.manager->submitNow({bench.rounds(a, 600)});
  EXPECT_EQ(s.count, 0);
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::Launch);
  EXPECT_EQ(read(bench, a), 5);
  EXPECT_EQ(bench.manager->submitNow({bench.rounds(a, 100)}).count, 1);
  EXPECT_EQ(read(bench, a), afterRounds(100, 5));
}

} // namespace
} // namespace pb::device::test
