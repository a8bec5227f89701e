// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workers as a whole: start, stop, sleep, wake (petabricks-hetero 10: 47, 48).
#include "runtime/task/scheduler.h"
#include "runtime/task/spinlock.h"
#include "tests/unit/sanitized.h"
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <thread>

using pb::Job;
using pb::SpawnScope;
using namespace pb::task;

namespace {

Job tree(int depth, std::atomic<long> *leaves) {
  if (depth == 0) {
    leaves->fetch_add(1, std::memory_order_relaxed);
    co_return;
  }
  SpawnScope scope;
  scope.spawn(tree(depth - 1, leaves));
  scope.spawn(tree(depth - 1, leaves));
  co_await scope.sync();
}

/// Something that a thread which is no worker, as a device's, makes runnable.
struct Called : pb::Work {
  explicit Called(std::function<void()> f) : function(std::move(f)) {
    run = [](pb::Work *w) {
      const std::unique_ptr<Called> self(static_cast<Called *>(w));
      self->function();
    };
  }
  std::function<void()> function;
};

void call(Scheduler &s, std::function<void()> f) { s.makeRunnable(new Called(std::move(f))); }

double cpuSeconds() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

TEST(Scheduler, StartsAndStopsAHundredTimes) {
  for (int i = 0; i < 100; ++i) {
    Scheduler s(1 + i % 5);
    std::atomic<long> leaves = 0;
    if (i % 3)
      s.run(tree(6, &leaves));
    EXPECT_EQ(leaves, i % 3 ? 64 : 0);
  }
}

TEST(Scheduler, UsesNoProcessorWhenIdle) { // 6.2 "bounded spinning and then parking"
  Scheduler s(4);
  std::atomic<long> leaves = 0;
  s.run(tree(10, &leaves));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  double before = cpuSeconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(cpuSeconds() - before, 0.01);
}

TEST(Scheduler, WakesFromSleep) {
  Scheduler s(2);
  for (int i = 0; i < 200; ++i) {
    std::atomic<long> leaves = 0;
    s.run(tree(4, &leaves));
    ASSERT_EQ(leaves, 16);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 20)); // around the steps of parking
  }
}

TEST(Scheduler, TasksFromOutsideReachSleepingWorkers) { // 48, 46
  Scheduler s(3);
  std::atomic<int> done = 0;
  const int n = static_cast<int>(scaled(100'000));
  std::vector<std::thread> devices;
  for (int k = 0; k < 2; ++k)
    devices.emplace_back([&] {
      for (int i = 0; i < n; ++i) {
        call(s, [&] { done.fetch_add(1); });
        if (i % 1000 == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    });
  for (auto &d : devices)
    d.join();
  for (int i = 0; i < 30'000 && done != 2 * n; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(done, 2 * n);
}

TEST(Scheduler, TopForTasksOfTasksBottomForTasksFromOutside) { // 48
  Scheduler s(1);
  std::string order;
  std::atomic<int> step = 0;
  std::thread outside([&] {
    while (step != 1)
      std::this_thread::yield();
    call(s, [&] { order += 'o'; });
    step = 2;
  });
  auto first = [&]() -> Job {
    call(s, [&] { order += 'a'; });
    call(s, [&] { order += 'b'; });
    step = 1;
    while (step != 2)
      std::this_thread::yield();
    co_return;
  };
  s.run(first());
  outside.join();
  auto last = []() -> Job { co_return; };
  s.run(last()); // from outside: below all others
  EXPECT_EQ(order, "bao");
}

TEST(Scheduler, RunInsideOfATaskIsRefused) {
  Scheduler s(1);
  std::atomic<long> leaves = 0;
  auto body = [&]() -> Job { co_return s.run(tree(1, &leaves)); };
  EXPECT_THROW(s.run(body()), std::logic_error);
}

TEST(Scheduler, RunFromSeveralThreads) {
  Scheduler s(2);
  std::vector<std::thread> callers;
  std::atomic<long> leaves = 0;
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        s.run(tree(5, &leaves));
    });
  for (auto &c : callers)
    c.join();
  EXPECT_EQ(leaves, 4 * 50 * 32);
}

TEST(Scheduler, TellsItsThreads) {
  EXPECT_EQ(pb::pb_threads(), 1);
  EXPECT_EQ(Scheduler::current(), nullptr);
  {
    Scheduler outer(3);
    EXPECT_EQ(pb::pb_threads(), 3);
    {
      Scheduler inner(0);
      EXPECT_EQ(inner.threads(), 1);
      EXPECT_EQ(pb::pb_threads(), 1);
      int seen = 0;
      Scheduler *at = nullptr;
      auto body = [&]() -> Job { co_return void((seen = pb::pb_threads(), at = Scheduler::current())); };
      outer.run(body());
      EXPECT_EQ(seen, 3);
      EXPECT_EQ(at, &outer);
    }
    EXPECT_EQ(pb::pb_threads(), 3);
  }
  EXPECT_EQ(pb::pb_threads(), 1);
}

TEST(Scheduler, FramesFreedElsewhereAreReused) {
  // A producer whose children are all finished by other workers must not use more and more memory.
  Scheduler s(2);
  auto child = [](char) -> Job {
    for (int i = 0; i < 50; ++i)
      pb::task::pause(); // gives thieves time
    co_return;
  };
  auto body = [&](int rounds) -> Job {
    for (int i = 0; i < rounds; ++i) {
      SpawnScope scope;
      for (int k = 0; k < 100; ++k)
        scope.spawn(child(0));
      co_await scope.sync();
    }
  };
  s.run(body(static_cast<int>(scaled(1000))));
  rusage before, after;
  getrusage(RUSAGE_SELF, &before);
  s.run(body(static_cast<int>(scaled(10'000))));
  getrusage(RUSAGE_SELF, &after);
  // KiB; all frames together would be 100 MiB. Sanitizers keep memory of their own.
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kSanitized ? 1 << 20 : 4096);
}

} // namespace
