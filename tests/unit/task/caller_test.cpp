// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedulers of which the caller of run() is a worker.
#include "runtime/task/large_stack.h"
#include "runtime/task/scheduler.h"
#include "tests/unit/sanitized.h"
#include <atomic>
#include <chrono>
#include <coroutine>
#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <vector>

using pb::Job;
using pb::SpawnScope;
using namespace pb::task;
using namespace std::chrono_literals;

namespace {

Job leavesOf(int depth, std::atomic<long> *leaves) {
  if (depth == 0) {
    leaves->fetch_add(1, std::memory_order_relaxed);
    co_return;
  }
  SpawnScope scope;
  scope.spawn(leavesOf(depth - 1, leaves));
  scope.spawn(leavesOf(depth - 1, leaves));
  co_await scope.sync();
}

/// Continues after some time by a thread that is no worker, as a device's does.
struct Elsewhere : pb::Work {
  Elsewhere(Scheduler &s, std::chrono::milliseconds t) : scheduler(s), time(t) {}
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    handle = h;
    run = [](pb::Work *w) { static_cast<Elsewhere *>(w)->handle.resume(); };
    std::thread([this, wait = time, &on = scheduler] { // nothing of this object is left after makeRunnable()
      std::this_thread::sleep_for(wait);
      on.makeRunnable(this);
    })
        .detach();
  }
  void await_resume() const {}
  Scheduler &scheduler;
  std::chrono::milliseconds time;
  std::coroutine_handle<> handle;
};

double processorSeconds() {
  rusage r;
  getrusage(RUSAGE_SELF, &r);
  return static_cast<double>(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

TEST(Caller, IsTheOnlyWorkerOfOne) {
  Scheduler s(1, Caller::Works);
  EXPECT_EQ(s.threads(), 1);
  std::set<std::thread::id> threads;
  const auto body = [&]() -> Job {
    threads.insert(std::this_thread::get_id());
    EXPECT_EQ(Scheduler::current(), &s);
    std::atomic<long> leaves = 0;
    co_await leavesOf(8, &leaves);
    EXPECT_EQ(leaves, 256);
    threads.insert(std::this_thread::get_id());
  };
  s.run(body());
  EXPECT_EQ(threads, std::set{std::this_thread::get_id()});
  EXPECT_EQ(Scheduler::current(), nullptr);
}

// 8 to 17 microseconds were lost where another thread ran the job on a machine whose processors all had workers.
TEST(Caller, RunsAJobWithoutWakingAnyone) {
  Scheduler s(2, Caller::Works);
  const auto caller = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i) {
    bool isCaller = false;
    const auto body = [&]() -> Job { co_return void(isCaller = std::this_thread::get_id() == caller); };
    s.run(body());
    EXPECT_TRUE(isCaller);
  }
}

TEST(Caller, SharesItsTasks) {
  Scheduler s(4, Caller::Works);
  for (int i = 0; i < 50; ++i) {
    std::atomic<long> leaves = 0;
    s.run(leavesOf(12, &leaves));
    ASSERT_EQ(leaves, 4096);
    std::this_thread::sleep_for(std::chrono::microseconds(i * 20)); // around the steps of parking
  }
}

TEST(Caller, GetsWhatTheJobThrew) {
  Scheduler s(2, Caller::Works);
  const auto body = []() -> Job {
    throw std::domain_error("no");
    co_return;
  };
  for (int i = 0; i < 20; ++i)
    EXPECT_THROW(s.run(body()), std::domain_error);
}

// While it waits, it sleeps; and it wakes where its own worker or another one ends the run.
TEST(Caller, SleepsUntilAnotherThreadContinues) {
  for (const int workers : {1, 3}) {
    Scheduler s(workers, Caller::Works);
    const double before = processorSeconds();
    for (int i = 0; i < 20; ++i) {
      bool isDone = false;
      const auto body = [&]() -> Job {
        co_await Elsewhere(s, 10ms);
        isDone = true;
      };
      s.run(body());
      ASSERT_TRUE(isDone);
    }
    if (!kSanitized)
      EXPECT_LT(processorSeconds() - before, 0.1) << workers;
  }
}

TEST(Caller, TakesTurnsWithOthers) {
  for (const int workers : {1, 2}) {
    Scheduler s(workers, Caller::Works);
    std::vector<std::thread> callers;
    std::atomic<long> leaves = 0;
    for (int k = 0; k < 8; ++k)
      callers.emplace_back([&, k] {
        for (int i = 0; i < 50; ++i) {
          const auto body = [&]() -> Job {
            if (k % 2)
              co_await Elsewhere(s, 0ms);
            co_await leavesOf(5, &leaves);
          };
          s.run(body());
        }
      });
    for (auto &c : callers)
      c.join();
    EXPECT_EQ(leaves, 8 * 50 * 32) << workers;
  }
}

TEST(Caller, MayBeAWorkerOfAnotherScheduler) {
  Scheduler outer(2, Caller::Works), inner(2, Caller::Works);
  std::atomic<long> leaves = 0;
  const auto body = [&]() -> Job {
    inner.run(leavesOf(4, &leaves));
    EXPECT_EQ(Scheduler::current(), &outer);
    co_return;
  };
  for (int i = 0; i < 50; ++i)
    outer.run(body());
  EXPECT_EQ(leaves, 50 * 16);
  const auto again = [&]() -> Job { co_return outer.run(leavesOf(1, &leaves)); };
  EXPECT_THROW(outer.run(again()), std::logic_error);
}

int depthOf(int calls) {
  volatile char use[1000] = {};
  return calls ? depthOf(calls - 1) + 1 + use[calls % 1000] : 0;
}

TEST(LargeStack, HoldsDeepRecursion) {
  int depth = 0;
  const pthread_t t = startOnLargeStack(
      [](void *to) -> void * {
        *static_cast<int *>(to) = depthOf(100'000);
        return nullptr;
      },
      &depth);
  pthread_join(t, nullptr);
  EXPECT_EQ(depth, 100'000);
}

} // namespace
