// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The management thread over a fake device: order, copies, memory (requirements of petabricks-hetero 10).
#include "manager_support.h"

#include "runtime/device/host_access.h"
#include "runtime/device/record.h"
#include "runtime/matrix/matrix.h"
#include "runtime/task/scheduler.h"
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <thread>

namespace pb::device::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Manager, ALaunchComputes) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  const Submitted s = bench.manager->submitNow({bench.plus(a, b, 5)});
  EXPECT_EQ(s.count, 1);
  EXPECT_FALSE(s.why);
  EXPECT_EQ(read(bench, b), 6);
  EXPECT_EQ(read(bench, a), 1);
}

/// Requirement 52.
TEST(Manager, TasksOfALaunchComeInOrder) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
  Launch second = copiesOut(bench.plus(b, c, 1));
  second.matrices[1].covers = false; // so that it is copied in, too
  bench.manager->submitNow({copiesOut(bench.plus(a, b, 1)), second});
  EXPECT_EQ(read(bench, c), 3);
  EXPECT_EQ(read(bench, b), 2);
  std::vector<std::string> launching;
  int completions = 0;
  for (const std::string &t : bench.tasks())
    if (t == "completion")
      ++completions;
    else if (t != "copy-out")
      launching.push_back(t);
  EXPECT_THAT(launching,
              ElementsAre("prepare", "copy-in", "execute", "prepare", "copy-in", "copy-in", "execute"));
  EXPECT_GE(completions, 2);
}

/// Requirements 27 and 30.
TEST(Manager, AChainMovesOnlyItsEnds) {
  const Bench bench;
  const auto in = matrix(8, 4, 1), buffer = matrix(8, 4, 0), out = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(in, buffer, 1)});
  bench.manager->submitNow({bench.plus(buffer, out, 1)});
  EXPECT_EQ(read(bench, out), 3);
  const FakeCounters c = bench.fake();
  EXPECT_EQ(c.copiesIn, 1);
  EXPECT_EQ(c.bytesIn, kBytes);
  EXPECT_EQ(c.copiesOut, 1);
  EXPECT_EQ(c.bytesOut, kBytes);
}

/// Requirements 31 and 58.
TEST(Manager, UnchangedInputIsNotCopiedAgain) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  for (int k = 0; k < 3; ++k)
    bench.manager->submitNow({bench.plus(a, b, k)});
  EXPECT_EQ(read(bench, b), 3);
  EXPECT_EQ(bench.fake().copiesIn, 1);
}

/// The same if the processor's memory is not owned by a storage: a mapping that processes share.
TEST(Manager, MemoryOfOthersStaysOnTheDevice) {
  double in[32], out[32] = {};
  std::fill(std::begin(in), std::end(in), 1.0);
  const auto over = [](double *data) {
    return Matrix2(matrix::Matrix::over(ElementKind::F64, {8, 4}, data).region());
  };
  const Bench bench;
  const Matrix2 a = over(in), b = over(out);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  bench.manager->submitNow({bench.plus(b, a, 1)});
  EXPECT_EQ(bench.fake().copiesIn, 1);
  EXPECT_EQ(bench.fake().copiesOut, 0);
  EXPECT_EQ(read(bench, a), 3);
  EXPECT_EQ(in[31], 3);
}

/// Requirement 32.
TEST(Manager, InputThatTheHostHasWrittenIsCopiedAgain) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  write(bench, a, 10);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_EQ(read(bench, b), 11);
  EXPECT_EQ(bench.fake().copiesIn, 2);
}

/// Requirements 33 and 59: only the written part is copied.
TEST(Manager, APartThatTheHostHasWrittenIsCopiedAgain) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, b, 1)});
  ASSERT_TRUE(eventually([&] { return bench.table.isUntouched(all(a)); }));
  task::Scheduler one(1);
  one.run(hostAccess(bench.table, {{part(a, 0, 1, 8, 2), false, true, true}}));
  for (int x = 0; x < 8; ++x)
    a.cell(x, 1) = 7;
  bench.manager->submitNow({bench.plus(a, b, 1)});
  bench.manager->copyOutNow(all(b));
  EXPECT_EQ(b.cell(3, 0), 2);
  EXPECT_EQ(b.cell(3, 1), 8);
  EXPECT_EQ(b.cell(3, 2), 2);
  EXPECT_EQ(bench.fake().bytesIn, kBytes + 64);
}

/// Requirement 34.
TEST(Manager, ResultsThatNobodyReadsAreNotCopied) {
  const Bench bench;
  const auto a = matrix(8, 4, 1);
  {
    const auto b = matrix(8, 4, 0);
    bench.manager->submitNow({bench.plus(a, b, 1)});
  }
  const auto c = matrix(8, 4, 0);
  bench.manager->submitNow({bench.plus(a, c, 1)});
  EXPECT_EQ(read(bench, c), 2);
  EXPECT_EQ(bench.fake().copiesOut, 1);
}

/// Requirements 28 and 29.
TEST(Manager, SeveralReadersCopyOnce) {
  const Bench bench("latency=5ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({copiesOut(bench.plus(a, b, 1))}); // the copy is begun: requirement 26
  std::vector<std::thread> readers;
  for (int k = 0; k < 4; ++k)
    readers.emplace_back([&] { bench.manager->copyOutNow(all(b)); });
  for (auto &r : readers)
    r.join();
  EXPECT_EQ(valueOf(b), 2);
  EXPECT_EQ(bench.fake().copiesOut, 1);
}

/// Requirements 60 and 62.
TEST(Manager, LaunchesThatWriteOneMatrixShareABufferAndAReadBack) {
  const Bench bench;
  const auto a = matrix(8, 16, 1), b = matrix(8, 16, 0);
  std::vector<Launch> launches;
  for (const long row : {12, 0, 8, 4})
    launches.push_back(bench.plus(a, b, 3, row, row + 4));
  bench.manager->submitNow(std::move(launches));
  EXPECT_EQ(read(bench, b), 4);
  EXPECT_EQ(bench.fake().allocations, 2);
  EXPECT_EQ(bench.fake().copiesOut, 1);
}

/// Requirement 61.
TEST(Manager, AMatrixOfTwoWritersIsRightForEverySplit) {
  const Bench bench;
  for (long split = 0; split <= 16; ++split) {
    const auto a = matrix(8, 16, 1), b = matrix(8, 16, 0);
    bench.manager->submitNow({bench.plus(a, b, 3, 0, split)});
    task::Scheduler one(1);
    one.run(hostAccess(bench.table, {{part(b, 0, split, 8, 16), false, true, true}}));
    for (long y = split; y < 16; ++y)
      for (int x = 0; x < 8; ++x)
        b.cell(x, y) = 4;
    EXPECT_EQ(read(bench, b), 4) << split;
  }
}

/// Requirement 54.
TEST(Manager, ACopyInReturnsBeforeItsEnd) {
  const Bench bench("latency=200ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  const auto begin = std::chrono::steady_clock::now();
  bench.manager->submitNow({bench.plus(a, b, 1)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 180ms);
  EXPECT_FALSE(bench.table.isUntouched(all(a))); // it is under way
  EXPECT_EQ(read(bench, b), 2);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 600ms);
}

/// Requirements 53 and 55: while one copy-out is under way, others are begun, and launches.
TEST(Manager, CompletionsDoNotHoldUpOthers) {
  const Bench bench("latency=200ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
  bench.manager->submitNow({copiesOut(bench.plus(a, b, 1))});
  const auto begin = std::chrono::steady_clock::now();
  bench.manager->submitNow({bench.plus(a, c, 1)});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 180ms);
  EXPECT_FALSE(bench.table.isOnHost(all(b)));
  EXPECT_EQ(read(bench, c), 2);
  EXPECT_TRUE(bench.table.isOnHost(all(b)));
}

/// Requirement 53: no kind of task waits for the device, whose commands take five milliseconds here. Single
/// tasks may take longer, because other programs have the core.
TEST(Manager, TasksTakeLessThanAMillisecond) {
  const Bench bench("latency=5ms memory=2K");
  std::vector<Matrix2> all;
  for (int k = 0; k < 40; ++k) { // with eviction
    all.push_back(matrix(8, 4, k));
    const auto b = matrix(8, 4, 0);
    bench.manager->submitNow({copiesOut(bench.plus(all.back(), b, 1))});
    EXPECT_EQ(read(bench, b), k + 1);
  }
  std::map<std::string, std::vector<unsigned long>> times;
  for (const Trace::Lane &lane : bench.trace.lanes())
    for (const Trace::Event &e : lane.events)
      if (std::string("manage") == e.category)
        times[e.name].push_back(e.span.end - e.span.begin);
  EXPECT_THAT(times, testing::SizeIs(testing::Ge(4u)));
  for (auto &[kind, each] : times) {
    std::sort(each.begin(), each.end());
    EXPECT_LT(each[each.size() * 3 / 4], 1'000'000u) << kind;
  }
}

/// Requirement 56: copies for one kernel while another runs.
TEST(Manager, TransfersOverlapKernels) {
  const Bench bench("latency=20ms");
  for (int k = 0; k < 6; ++k) {
    const auto a = matrix(8, 4, k), b = matrix(8, 4, 0);
    bench.manager->submitNow({bench.plus(a, b, 1)});
    if (k == 5) {
      EXPECT_EQ(read(bench, b), 6);
    }
  }
  std::vector<Span> kernels, copies;
  for (const Trace::Lane &lane : bench.trace.lanes())
    for (const Trace::Event &e : lane.events)
      if (e.device == 0)
        (std::string("kernel") == e.category ? kernels : copies).push_back(e.span);
  unsigned long overlap = 0;
  for (const Span &k : kernels)
    for (const Span &c : copies)
      if (std::max(k.begin, c.begin) < std::min(k.end, c.end))
        overlap += std::min(k.end, c.end) - std::max(k.begin, c.begin);
  EXPECT_GE(kernels.size(), 5u);
  EXPECT_GT(overlap, 5'000'000u);
}

TEST(Manager, RoundsAreLaunches) {
  const Bench bench;
  const auto a = matrix(8, 4, 1);
  EXPECT_EQ(bench.manager->submitNow({bench.rounds(a, 200)}).count, 1); // more than may be ahead
  bench.manager->copyOutNow(all(a));
  double expected = 1;
  for (int r = 0; r < 200; ++r)
    expected = expected * 2 + r;
  EXPECT_EQ(a.cell(5, 0), expected);
  EXPECT_EQ(a.cell(5, 1), 1);
  EXPECT_EQ(bench.manager->counters().launches, 200u);
}

TEST(Manager, RoundsThatFailInTheMiddleAreUndoneWhereTheHostHasTheCells) {
  const Bench bench("fail=launch:3");
  const auto a = matrix(8, 4, 1);
  const Submitted s = bench.manager->submitNow({bench.rounds(a, 5)});
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::Launch);
  EXPECT_EQ(read(bench, a), 1);
  bench.manager->submitNow({bench.rounds(a, 1)});
  bench.manager->copyOutNow(all(a));
  EXPECT_EQ(a.cell(0, 0), 2); // from the host's cells, not from what the two rounds left
}

TEST(Manager, RoundsThatFailInTheMiddleLoseWhatOnlyTheDeviceHad) {
  const Bench bench("fail=launch:4");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  const Submitted s = bench.manager->submitNow({bench.plus(a, b, 1), bench.rounds(b, 5)});
  EXPECT_EQ(s.count, 1);
  ASSERT_TRUE(s.why);
  EXPECT_EQ(s.why->failure(), Failure::Lost);
  EXPECT_THROW(bench.manager->copyOutNow(all(b)), DeviceError);
}

TEST(Manager, ViewsAreArguments) {
  const Bench bench;
  const auto a = matrix(8, 8, 1), b = matrix(8, 8, 0);
  const auto quadrant = b.region(4, 4, 8, 8);
  bench.manager->submitNow({bench.plus(a.region(0, 4, 4, 8).transposed(), quadrant, 1)});
  EXPECT_EQ(read(bench, quadrant), 2);
  EXPECT_EQ(b.cell(3, 4), 0);
  EXPECT_EQ(bench.fake().bytesIn, 128u);
  EXPECT_EQ(bench.fake().bytesOut, 128u);
}

/// Requirement 101: through the host.
TEST(Manager, DataOfAnotherDevice) {
  Table table(2);
  const Bench first("latency=2ms peers=0", 2, 0, &table), second("latency=2ms", 2, 1, &table);
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0), c = matrix(8, 4, 0);
  first.manager->submitNow({first.plus(a, b, 1)});
  second.manager->submitNow({second.plus(b, c, 1)});
  first.manager->submitNow({first.plus(c, b, 1)}); // b is copied to and fro
  second.manager->submitNow({second.plus(b, c, 1)});
  EXPECT_EQ(read(second, c), 5);
  EXPECT_EQ(read(first, b), 4);
  EXPECT_EQ(first.fake().copiesOut + second.fake().copiesIn, 4);
}

/// At most `ahead` launches are not done.
TEST(Manager, ASubmissionWaitsForTheDevice) {
  const Bench bench("latency=1ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  std::vector<Launch> launches;
  for (int k = 0; k < 100; ++k)
    launches.push_back(bench.plus(a, b, k));
  const auto begin = std::chrono::steady_clock::now();
  bench.manager->submitNow(std::move(launches));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 30ms); // 36 are done
  EXPECT_EQ(read(bench, b), 100);
}

/// Requirement 65.
/// While only the device can go on, the thread sleeps until the device calls.
TEST(Manager, LongCommandsAreNotPolled) {
  const Bench bench("latency=100ms");
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  bench.manager->submitNow({copiesOut(bench.plus(a, b, 1))});
  EXPECT_EQ(read(bench, b), 2);
  // Three commands of 100 ms: a few polls at their begin and end, and one a millisecond in case a call is lost.
  // Every 50 microseconds it would be six thousand.
  EXPECT_LT(bench.fake().polls, 3 * 300);
}

TEST(Manager, CommandsAreTimedForATraceOnly) {
  for (const bool isTraced : {false, true}) {
    Table table(1);
    Trace trace;
    std::atomic<int> asked = 0, others = 0;
    Options options;
    options.trace = isTraced ? &trace : nullptr;
    const Manager manager(std::make_unique<HookedDevice>(std::make_unique<FakeDevice>(),
                                                         [&](const std::string &call) {
                                                           if (call == "time")
                                                             asked += others == 0 ? 1 : 100; // first of all
                                                           else
                                                             ++others;
                                                         }),
                          table, options);
    EXPECT_EQ(asked, isTraced ? 1 : 0);
  }
}

TEST(Manager, BeginAndEnd) {
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  Table table(1);
  for (int k = 0; k < 20; ++k) {
    const Bench bench("", 1, 0, &table);
    EXPECT_EQ(bench.fake().allocations, 0);
    if (k % 2)
      bench.manager->submitNow({bench.plus(a, b, k)});
  }
  EXPECT_TRUE(table.isOnHost(all(b))); // what only the device had was copied out
  EXPECT_EQ(valueOf(b), 20);
}

TEST(Manager, GridsOfBoxes) {
  const int group[3] = {4, 2, 1};
  const auto items = [&](const Box &b, bool inRounds) {
    const int cells[3] = {1, 1, 1};
    const Grid g = device::gridOf(b, inRounds, group, cells);
    return std::vector<long>(g.items, g.items + 3);
  };
  EXPECT_THAT(items(Box{2, {1, 1}, {10, 4}}, false), ElementsAre(12, 4, 1));
  EXPECT_THAT(items(Box{2, {1, 1}, {10, 4}}, true), ElementsAre(4, 2, 1));
  EXPECT_THAT(items(Box{5, {0, 0, 0, 0, 0}, {4, 2, 3, 5, 7}}, false), ElementsAre(4, 2, 105));
  EXPECT_THAT(items(Box{5, {0, 0, 0, 0, 0}, {9, 4, 2, 3, 5}}, true), ElementsAre(4, 2, 15));
  EXPECT_THAT(items(Box{0, {}, {}}, false), ElementsAre(4, 2, 1));
}

/// The first run of a launch begins at a multiple of its length.
TEST(Manager, GridsOfRuns) {
  const int group[3] = {2, 1, 1}, cells[3] = {4, 2, 1};
  const auto items = [&](long low, long high, bool hasRuns) {
    const Grid g = device::gridOf(Box{2, {low, 1}, {high, 6}}, false, group, cells, hasRuns);
    return std::vector<long>(g.items, g.items + 2);
  };
  EXPECT_THAT(items(1, 9, false), ElementsAre(2, 3));
  EXPECT_THAT(items(1, 9, true), ElementsAre(4, 3)) << "runs 0, 4 and 8";
  EXPECT_THAT(items(1, 8, true), ElementsAre(2, 3));
  EXPECT_THAT(items(-3, 4, true), ElementsAre(2, 3)) << "runs -4 and 0";
  EXPECT_THAT(items(-4, 4, true), ElementsAre(2, 3));
  EXPECT_THAT(items(-5, 4, true), ElementsAre(4, 3));
}

TEST(Manager, OnlyTasksCanAwait) {
  const Bench bench;
  const auto a = matrix(8, 4, 1), b = matrix(8, 4, 0);
  EXPECT_THROW(bench.manager->submit({bench.plus(a, b, 1)}).await_suspend({}), std::logic_error);
}

} // namespace
} // namespace pb::device::test
