// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Failures that pass through frames of generated programs, which are compiled without exceptions.
#include "generated_like.h"
#include "runtime/task/scheduler.h"
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace pb::test {
namespace {

class Failures : public testing::TestWithParam<int> {
protected:
  /// The exception that the job throws; "" if there is none.
  std::string outcomeOf(Job job) {
    try {
      scheduler.run(std::move(job));
    } catch (const std::runtime_error &e) {
      return e.what();
    }
    return "";
  }
  task::Scheduler scheduler{GetParam()};
  generated::Traces traces;
};
INSTANTIATE_TEST_SUITE_P(Workers, Failures, testing::Values(1, 2, 3, 8));

Job succeed(int) { co_return; }
Job failAtZero(int number) {
  if (number == 0)
    throw std::runtime_error("zero");
  co_return;
}
Job failAlways(int) {
  throw std::runtime_error("always");
  co_return;
}
Job failAtFive(int number) {
  if (number == 5)
    throw std::runtime_error("five");
  co_return;
}

TEST_P(Failures, NoneLeavesAllEndsReached) {
  EXPECT_EQ(outcomeOf(generated::chain(succeed, 10, &traces)), "");
  EXPECT_EQ(outcomeOf(generated::tree(succeed, 6, 0, &traces)), "");
  EXPECT_EQ(traces.reached, 10 + 127);
  EXPECT_EQ(traces.frames, 0);
}

TEST_P(Failures, GoUpChainsWithoutResumingThem) {
  for (int depth : {1, 2, 100}) {
    EXPECT_EQ(outcomeOf(generated::chain(failAtZero, depth, &traces)), "zero");
    EXPECT_EQ(traces.reached, 0);
    EXPECT_EQ(traces.frames, 0);
  }
}

TEST_P(Failures, OfOneOfManySpawnedReachTheRoot) {
  for (int round = 0; round < 50; ++round) {
    traces.reached = 0;
    EXPECT_EQ(outcomeOf(generated::tree(failAtFive, 5, 0, &traces)), "five");
    EXPECT_EQ(traces.reached, 63 - 6); // those on the way from 5 to the root
    EXPECT_EQ(traces.frames, 0);
  }
}

TEST_P(Failures, OfAllAtOnceAreReportedOnce) {
  for (int round = 0; round < 50; ++round)
    EXPECT_EQ(outcomeOf(generated::tree(failAlways, 5, 0, &traces)), "always");
  EXPECT_EQ(traces.reached, 0);
  EXPECT_EQ(traces.frames, 0);
}

TEST_P(Failures, WhileOthersRunWaitForThem) {
  EXPECT_EQ(outcomeOf(generated::spawnThenAwait(failAtZero, &traces)), "zero");
  EXPECT_EQ(traces.frames, 0);
  EXPECT_EQ(outcomeOf(generated::spawnThenAwait(failAlways, &traces)), "always");
  EXPECT_EQ(traces.frames, 0);
}

/// A chain without exceptions, inside a chain with exceptions, and so on: `depth` times.
Job layers(int depth, generated::Traces *traces, int *caught) {
  std::string what;
  try {
    if (depth > 0)
      co_await layers(depth - 1, traces, caught);
    co_await generated::chain(failAtZero, 3, traces);
  } catch (const std::runtime_error &e) {
    what = e.what();
  }
  *caught += what == "zero";
}

TEST_P(Failures, AreCaughtByCodeWithExceptions) {
  int caught = 0;
  scheduler.run(layers(4, &traces, &caught));
  EXPECT_EQ(caught, 5);
  EXPECT_EQ(traces.frames, 0);
}

} // namespace
} // namespace pb::test
