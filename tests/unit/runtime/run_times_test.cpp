// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/run_times.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace pb::program {
namespace {

/// The times of runs with these durations, one after the other; the last one is repeated. `before`: seconds
/// of filling and comparing.
RunTimes timesOf(const std::vector<double> &runs, double before, const RunTimes::Wanted &wanted,
                 int *used = nullptr) {
  RunTimes times(wanted);
  int run = 0;
  for (; !times.isComplete(); ++run) {
    const double seconds = runs[std::min(static_cast<size_t>(run), runs.size() - 1)];
    if (run == 0)
      times.began(seconds, before);
    times.add({seconds, 1, seconds});
  }
  if (used)
    *used = run;
  return times;
}

TEST(RunTimes, LongRunsCountFromTheFirst) {
  EXPECT_EQ(timesOf({0.3, 0.2, 0.1}, 1, {.trials = 3}).seconds(), (std::vector{0.3, 0.2, 0.1}));
}

TEST(RunTimes, TheFirstShortOneDoesNotCount) {
  EXPECT_EQ(timesOf({0.005, 0.001, 0.002}, 0, {.trials = 2}).seconds(), (std::vector{0.001, 0.002}));
}

TEST(RunTimes, ShortRunsWarmUpAsLongAsMatricesWereTouched) {
  // After 5 ms of filling and comparing, the second and the third run, which take 5 ms, do not count.
  EXPECT_EQ(timesOf({0.004, 0.003, 0.003, 0.001}, 0.005, {.trials = 1}).seconds(), std::vector{0.001});
  // At most 10 ms of runs are left out, however long filling and comparing took.
  EXPECT_EQ(timesOf({0.006, 0.006, 0.006, 0.005}, 10, {.trials = 1}).seconds().front(), 0.005);
  EXPECT_EQ(timesOf({0.006, 0.011, 0.006, 0.005}, 10, {.trials = 2}).seconds().front(), 0.0055);
}

TEST(RunTimes, ATimeIsTheMedianOfWhatCostsLittle) {
  // 4 ms were spent on the request, so 2 ms of runs make each of two times.
  int runs = 0;
  const RunTimes times = timesOf({0.001, 0.004, 0.0005, 0.0007, 0.0009, 0.0006}, 0.004, {.trials = 2}, &runs);
  ASSERT_EQ(times.seconds().size(), 2u);
  EXPECT_EQ(times.seconds()[0], 0.0007);
  EXPECT_EQ(times.seconds()[1], 0.0006);
  EXPECT_EQ(runs, 2 + 3 + 4);
}

TEST(RunTimes, EndWithTheLimitButNotWithoutATime) {
  EXPECT_EQ(timesOf({0.3}, 1, {.trials = 100, .limit = 0.5}).seconds().size(), 2u);
  EXPECT_EQ(timesOf({0.3}, 1, {.trials = 100, .limit = 0}).seconds().size(), 1u);
}

TEST(RunTimes, RunsOfEnergyAllCount) {
  const RunTimes times = timesOf({0.001, 0.002}, 1, {.trials = 2, .energy = true});
  EXPECT_EQ(times.seconds(), (std::vector{0.001, 0.002}));
  EXPECT_EQ(times.joules(), (std::vector{1.0, 1.0}));
}

TEST(RunTimes, ARunWithACompilersTimeIsNone) {
  RunTimes times({.trials = 1});
  times.began(0.005, 0);
  times.skip();
  times.add({0.001, 0, 0.001});
  EXPECT_EQ(times.seconds(), std::vector{0.001});
}

} // namespace
} // namespace pb::program
