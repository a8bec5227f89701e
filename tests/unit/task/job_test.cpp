// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Coroutines on the scheduler: await, spawn, sync, exceptions (petabricks-hetero 10: 47, 50, 51).
#include "runtime/task/scheduler.h"
#include "tests/unit/sanitized.h"
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

using pb::Job;
using pb::SpawnScope;
using pb::task::Scheduler;

namespace {

Job fibonacci(long n, long *out) {
  if (n < 2) {
    *out = n;
    co_return;
  }
  long a, b;
  SpawnScope scope;
  scope.spawn(fibonacci(n - 1, &a));
  scope.spawn(fibonacci(n - 2, &b));
  co_await scope.sync();
  *out = a + b;
}

Job fibonacciMixed(long n, long *out) {
  if (n < 2) {
    *out = n;
    co_return;
  }
  long a, b;
  SpawnScope scope;
  scope.spawn(fibonacciMixed(n - 1, &a));
  co_await fibonacciMixed(n - 2, &b);
  co_await scope.sync();
  *out = a + b;
}

class Jobs : public testing::TestWithParam<int> {
protected:
  Scheduler scheduler{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Jobs, testing::Values(1, 2, 3, 8));

TEST_P(Jobs, Fibonacci) { // 47: also with one worker
  long out = 0;
  scheduler.run(fibonacci(kSanitized ? 16 : 24, &out));
  EXPECT_EQ(out, kSanitized ? 987 : 46368);
  scheduler.run(fibonacciMixed(kSanitized ? 16 : 24, &out));
  EXPECT_EQ(out, kSanitized ? 987 : 46368);
}

Job add(std::vector<int> *log, int value) {
  log->push_back(value);
  co_return;
}

TEST_P(Jobs, AwaitedJobIsCompleteBeforeTheNextStatement) {
  auto body = [](std::vector<int> *log) -> Job {
    co_await add(log, 1);
    log->push_back(2);
    Job kept = add(log, 3);
    co_await kept;
    log->push_back(4);
  };
  std::vector<int> log;
  scheduler.run(body(&log));
  EXPECT_EQ(log, (std::vector{1, 2, 3, 4}));
}

TEST_P(Jobs, SyncWithoutChildrenAndAgain) {
  auto body = [](int *sum) -> Job {
    auto child = [](int *at) -> Job {
      __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
      co_return;
    };
    SpawnScope scope;
    co_await scope.sync();
    for (int round = 0; round < 100; ++round) {
      for (int i = 0; i < round; ++i)
        scope.spawn(child(sum));
      co_await scope.sync();
      if (*sum != round * (round + 1) / 2)
        co_return;
    }
    co_await scope.sync();
    *sum = -1;
  };
  int sum = 0;
  scheduler.run(body(&sum));
  EXPECT_EQ(sum, -1);
}

#ifndef __SANITIZE_ADDRESS__
TEST(Frames, ThoseThatAnotherThreadFreesComeBack) {
  constexpr unsigned long kBytes = 1000; // a size that no other allocation has
  std::set<void *> first;
  for (int i = 0; i < 40; ++i)
    first.insert(pb::pb_frame_allocate(kBytes));
  std::thread([&] {
    for (void *frame : first)
      pb::pb_frame_free(frame, kBytes);
  }).join();
  bool isBack = false;
  for (int i = 0; i < 200; ++i)
    isBack |= first.count(pb::pb_frame_allocate(kBytes)) > 0;
  EXPECT_TRUE(isBack);
}
#endif

TEST_P(Jobs, ArgumentsAreReleasedWhenSyncReturns) {
  auto child = [](std::shared_ptr<int> p) -> Job {
    std::this_thread::yield();
    EXPECT_GE(p.use_count(), 1);
    co_return;
  };
  auto body = [&]() -> Job {
    auto p = std::make_shared<int>(5);
    for (int round = 0; round < 200; ++round) {
      SpawnScope scope;
      for (int i = 0; i < 8; ++i)
        scope.spawn(child(p));
      co_await scope.sync();
      EXPECT_EQ(p.use_count(), 1);
    }
  };
  scheduler.run(body());
}

TEST_P(Jobs, UnstartedJobIsDestroyed) {
  auto p = std::make_shared<int>(5);
  auto body = [](std::shared_ptr<int>) -> Job { co_return; };
  {
    Job j = body(p);
  }
  EXPECT_EQ(p.use_count(), 1);
}

Job fails(int depth) {
  if (depth == 0)
    throw std::runtime_error("deep");
  SpawnScope scope;
  scope.spawn(fails(depth - 1));
  co_await scope.sync();
}

TEST_P(Jobs, ExceptionsOfChildrenReachTheCaller) { // 51
  EXPECT_THROW(scheduler.run(fails(20)), std::runtime_error);
  auto awaits = []() -> Job { co_await fails(0); };
  EXPECT_THROW(scheduler.run(awaits()), std::runtime_error);
  bool caught = false;
  auto catches = [](bool *caught) -> Job {
    try {
      co_await fails(3);
    } catch (const std::runtime_error &) {
      *caught = true;
    }
  };
  scheduler.run(catches(&caught));
  EXPECT_TRUE(caught);
}

TEST_P(Jobs, OneOfSeveralExceptionsIsReported) { // 51
  std::atomic<int> ran = 0;
  auto child = [](std::atomic<int> *ran, bool bad) -> Job {
    ++*ran;
    if (bad)
      throw std::runtime_error("one of many");
    co_return;
  };
  auto body = [&]() -> Job {
    SpawnScope scope;
    for (int i = 0; i < 100; ++i)
      scope.spawn(child(&ran, i % 2));
    co_await scope.sync();
  };
  EXPECT_THROW(scheduler.run(body()), std::runtime_error);
  EXPECT_EQ(ran, 100); // the others are not lost
}

TEST_P(Jobs, ScopeLeftByAnExceptionWaitsForItsChildren) { // 51
  std::atomic<int> ran = 0;
  auto body = [&]() -> Job {
    int local = 0; // the children use the frame
    auto child = [](std::atomic<int> *ran, int *local) -> Job {
      std::this_thread::yield();
      __atomic_fetch_add(local, 1, __ATOMIC_RELAXED);
      ++*ran;
      co_return;
    };
    SpawnScope scope;
    for (int i = 0; i < 50; ++i)
      scope.spawn(child(&ran, &local));
    if (__atomic_load_n(&local, __ATOMIC_RELAXED) >= 0)
      throw std::logic_error("before sync");
    co_await scope.sync();
  };
  for (int round = 1; round <= 50; ++round) {
    EXPECT_THROW(scheduler.run(body()), std::logic_error);
    EXPECT_EQ(ran, 50 * round);
  }
}

TEST_P(Jobs, ManyAwaitsInALoop) {
  auto one = [](long *n) -> Job { co_return void(++*n); };
  auto body = [&](long *n) -> Job {
    for (int i = 0; i < 20'000; ++i)
      co_await one(n);
  };
  long n = 0;
  scheduler.run(body(&n));
  EXPECT_EQ(n, 20'000);
}

TEST(JobThreads, AFrameMayGoOnOnAnotherWorker) { // 50
  Scheduler s(4);
  bool moved = false;
  auto child = [](std::atomic<bool> *free) -> Job {
    // Keeps its worker busy until the parent's worker has suspended the parent.
    while (!free->load())
      std::this_thread::yield();
    co_return;
  };
  auto body = [&]() -> Job {
    std::atomic<bool> free = false;
    auto before = std::this_thread::get_id();
    SpawnScope scope;
    auto opener = [](std::atomic<bool> *free) -> Job { co_return free->store(true); };
    scope.spawn(child(&free));
    std::this_thread::sleep_for(std::chrono::milliseconds(2)); // a thief takes the child
    scope.spawn(opener(&free));
    co_await scope.sync();
    moved = before != std::this_thread::get_id();
  };
  for (int round = 0; round < 500 && !moved; ++round)
    s.run(body());
  EXPECT_TRUE(moved);
}

TEST(JobThreads, WorkIsShared) { // 47
  Scheduler s(3);
  std::set<std::thread::id> workers;
  std::mutex mutex;
  auto child = [&]() -> Job {
    {
      std::lock_guard hold(mutex);
      workers.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    co_return;
  };
  auto body = [&]() -> Job {
    SpawnScope scope;
    for (int i = 0; i < 300; ++i)
      scope.spawn(child());
    co_await scope.sync();
  };
  s.run(body());
  EXPECT_EQ(workers.size(), 3u);
}

long depth(long n) {
  volatile char page[4096];
  page[n % 4096] = 1;
  return n == 0 ? 0 : depth(n - 1) + page[n % 4096];
}

TEST(JobThreads, StacksAreDeep) {
  Scheduler s(1);
  long out = 0;
  const long n = kSanitized ? 5'000 : 50'000; // 200 MiB
  auto body = [&]() -> Job { co_return void(out = depth(n)); };
  s.run(body());
  EXPECT_EQ(out, n);
}

} // namespace
