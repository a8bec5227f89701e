// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Illegal transitions of tasks end the program in builds for debugging (petabricks-hetero 10: 35, 36, 41).
#include "runtime/task/scheduler.h"
#include <gtest/gtest.h>

using pb::Job;
using pb::SpawnScope;
using pb::task::Scheduler;

namespace {

Job nothing() { co_return; }

// Threads are started in the child only, because death tests must not have threads.
struct Asserts : testing::Test {
  Asserts() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void runOnOneWorker(Job (*body)()) {
  Scheduler s(1);
  s.run(body());
}

Job awaitsTwice() {
  const Job child = nothing();
  co_await child;
  co_await child;
}

TEST_F(Asserts, AwaitedTwice) { // 35, 36: only a new task gets a task that waits for it
  EXPECT_DEATH(runOnOneWorker(awaitsTwice), "a job is awaited once");
}

Job awaitsWhatIsSpawned() {
  Job child = nothing();
  SpawnScope scope;
  scope.spawn(std::move(child));
  co_await child; // NOLINT(bugprone-use-after-move): this is the mistake
}

TEST_F(Asserts, AwaitedAfterItWasSpawned) { // 35, 36
  EXPECT_DEATH(runOnOneWorker(awaitsWhatIsSpawned), "awaited has not been spawned");
}

Job spawnsTwice() {
  Job child = nothing();
  SpawnScope scope;
  scope.spawn(std::move(child));
  scope.spawn(std::move(child)); // NOLINT(bugprone-use-after-move): this is the mistake
  co_await scope.sync();
}

TEST_F(Asserts, SpawnedTwice) { // 35, 41
  EXPECT_DEATH(runOnOneWorker(spawnsTwice), "spawned has not been spawned before");
}

Job spawnsWhatItAwaited() {
  Job child = nothing();
  co_await child;
  SpawnScope scope;
  scope.spawn(std::move(child));
}

TEST_F(Asserts, SpawnedAfterItWasComplete) { // 35
  EXPECT_DEATH(runOnOneWorker(spawnsWhatItAwaited), "spawned has not been awaited");
}

struct Twice : pb::Work {
  Twice() {
    run = [](pb::Work *) {};
  }
};

Job makesRunnableTwice() {
  static Twice work;
  pb::pb_spawn(&work);
  pb::pb_spawn(&work);
  co_return;
}

TEST_F(Asserts, RunnableTwice) { // 40, 41
  const auto illegal = [] {
    Scheduler s(1);
    s.run(makesRunnableTwice());
    s.run(nothing()); // below the others
  };
  EXPECT_DEATH(illegal(), "made runnable once");
}

} // namespace
