// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs of jobs: a job is new until it is awaited or spawned, then runnable; a frame that waits for children is its own
// continuation and runnable again when the last child is complete (petabricks-hetero 10: 35, 37 to 42).
#include "runtime/abi/loops.h"
#include "runtime/task/scheduler.h"
#include "runtime/task/worker.h"
#include "tests/unit/sanitized.h"
#include <gtest/gtest.h>
#include <random>
#include <vector>

using pb::Box;
using pb::Job;
using pb::SpawnScope;
using pb::Split;
using pb::task::Scheduler;
using pb::task::Worker;

namespace {

Job increment(std::atomic<int> *to) {
  to->fetch_add(1, std::memory_order_relaxed);
  co_return;
}

TEST(JobGraph, ANewJobRunsWhenItIsAwaitedAndNotBefore) { // 35
  Scheduler s(1);
  std::atomic<int> ran = 0;
  int before = -1, after = -1;
  const auto body = [&]() -> Job {
    const Job child = increment(&ran);
    before = ran;
    co_await child;
    after = ran;
  };
  s.run(body());
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 1);
}

TEST(JobGraph, DependingOnCompleteChildrenAddsNothing) { // 37
  Scheduler s(1);
  std::atomic<int> ran = 0;
  bool isReady = false, isReadyAgain = false;
  const auto body = [&]() -> Job {
    SpawnScope scope;
    scope.spawn(increment(&ran));
    pb::task::start(Worker::current()->tryFind());
    isReady = scope.sync().await_ready(); // no suspension: the frame goes on at once
    isReadyAgain = scope.sync().await_ready();
    co_return;
  };
  s.run(body());
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(isReady);
  EXPECT_TRUE(isReadyAgain);
}

/// Suspends the frame until somebody resumes `waiting`, as a request to a device does.
struct HeldBack {
  std::coroutine_handle<> waiting;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> frame) noexcept { waiting = frame; }
  void await_resume() const noexcept {}
};

struct Resumption : pb::Work {
  explicit Resumption(std::coroutine_handle<> f) : frame(f) {
    run = [](pb::Work *w) { static_cast<Resumption *>(w)->frame.resume(); };
  }
  std::coroutine_handle<> frame;
};

TEST(JobGraph, AFrameThatWaitsIsInNoDequeAndThenInExactlyOne) { // 40, 41
  Scheduler s(1);
  HeldBack held;
  int continued = 0, foundWhileWaiting = -1, foundWhenRunnable = -1;
  const auto waits = [&]() -> Job {
    co_await held;
    ++continued;
  };
  const auto releases = [&]() -> Job {
    foundWhileWaiting = Worker::current()->tryFind() != nullptr;
    Resumption again(held.waiting);
    pb::pb_spawn(&again);
    pb::Work *const found = Worker::current()->tryFind();
    foundWhenRunnable = found == &again && !Worker::current()->tryFind();
    pb::task::start(found);
    co_return;
  };
  const auto body = [&]() -> Job {
    SpawnScope scope;
    scope.spawn(waits());
    pb::task::start(Worker::current()->tryFind());
    co_await releases();
    co_await scope.sync();
  };
  s.run(body());
  EXPECT_EQ(foundWhileWaiting, 0);
  EXPECT_EQ(foundWhenRunnable, 1);
  EXPECT_EQ(continued, 1);
}

/// A chain of continuations, each of which waits for children of its own.
Job continues(int times, std::atomic<int> *children, std::atomic<int> *ends, int *wrong) {
  SpawnScope scope;
  for (int i = 1; i <= times; ++i) {
    const int before = children->load();
    scope.spawn(increment(children));
    scope.spawn(increment(children));
    co_await scope.sync();
    *wrong += children->load() != before + 2;
  }
  ends->fetch_add(1);
}

TEST(JobGraph, WhoWaitsForAFrameWaitsForItsLastContinuation) { // 38, 39
  for (const int workers : {1, 2, 4}) {
    Scheduler s(workers);
    for (const int times : {0, 1, 3, 50}) {
      std::atomic<int> children = 0, ends = 0;
      int wrong = 0, endsAfterwards = -1;
      const auto body = [&]() -> Job {
        SpawnScope scope;
        scope.spawn(continues(times, &children, &ends, &wrong));
        co_await scope.sync();
        endsAfterwards = ends;
      };
      s.run(body());
      EXPECT_EQ(endsAfterwards, 1) << times;
      EXPECT_EQ(children, 2 * times);
      EXPECT_EQ(wrong, 0);
    }
  }
}

TEST(JobGraph, LongChainOfContinuationsRunsAndDies) { // 38
  Scheduler s(2);
  std::atomic<int> children = 0, ends = 0;
  int wrong = 0;
  const int times = static_cast<int>(scaled(300'000));
  s.run(continues(times, &children, &ends, &wrong));
  EXPECT_EQ(children, 2 * times);
  EXPECT_EQ(wrong, 0);
}

struct GraphTally {
  std::atomic<long> jobs = 0, early = 0;
};

/// A job of a random graph with `budget` jobs: it spawns, awaits and joins, several times, and checks at each join that all that it
/// has waited for is complete.
Job randomJob(GraphTally *tally, unsigned seed, long budget, std::atomic<long> *doneBelow) {
  std::mt19937 random(seed);
  tally->jobs.fetch_add(1, std::memory_order_relaxed);
  long left = budget - 1, spawned = 0;
  std::atomic<long> done = 0;
  {
    SpawnScope scope;
    while (left > 0) {
      const long part = 1 + static_cast<long>(random()) % left;
      left -= part;
      if (random() % 4 == 0) {
        std::atomic<long> awaited = 0;
        co_await randomJob(tally, random(), part, &awaited);
        tally->early += awaited.load(std::memory_order_relaxed) != part;
      } else {
        scope.spawn(randomJob(tally, random(), part, &done));
        spawned += part;
      }
      if (random() % 3 == 0) {
        co_await scope.sync();
        tally->early += done.load(std::memory_order_relaxed) != spawned;
      }
    }
    co_await scope.sync();
  }
  tally->early += done.load(std::memory_order_relaxed) != spawned;
  doneBelow->fetch_add(budget, std::memory_order_relaxed);
}

TEST(JobGraph, AMillionRandomJobsAreJoinedOnceAndInOrder) { // 39, 41, 42
  const long jobs = scaled(100'000);
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Scheduler s(static_cast<int>(seed % 4 + 1));
    GraphTally tally;
    std::atomic<long> done = 0;
    s.run(randomJob(&tally, seed, jobs, &done));
    EXPECT_EQ(tally.jobs, jobs);
    EXPECT_EQ(done, jobs);
    EXPECT_EQ(tally.early, 0);
  }
}

/// Cells of a box, each of which depends on its lower neighbour in each dimension: a graph that is no tree.
struct Lattice {
  Box box;
  std::vector<std::atomic<int>> visits;
  std::atomic<long> wrong = 0;

  explicit Lattice(const Box &b) : box(b), visits(static_cast<std::size_t>(cells(b))) {}
  static long cells(const Box &b) {
    long all = 1;
    for (int d = 0; d < b.rank; ++d)
      all *= b.high[d] - b.low[d];
    return all;
  }
  void visit(const long *low, const long *high) {
    std::vector<long> at(low, low + box.rank);
    for (;;) {
      long index = 0, stride = 1;
      for (int d = 0; d < box.rank; ++d) {
        index += (at[static_cast<std::size_t>(d)] - box.low[d]) * stride;
        stride *= box.high[d] - box.low[d];
      }
      stride = 1;
      for (int d = 0; d < box.rank; ++d) {
        if (at[static_cast<std::size_t>(d)] > box.low[d])
          wrong += visits[static_cast<std::size_t>(index - stride)].load(std::memory_order_relaxed) != 1;
        stride *= box.high[d] - box.low[d];
      }
      visits[static_cast<std::size_t>(index)].fetch_add(1, std::memory_order_relaxed);
      int d = 0;
      while (d < box.rank && ++at[static_cast<std::size_t>(d)] == high[d]) {
        at[static_cast<std::size_t>(d)] = low[d];
        ++d;
      }
      if (d == box.rank)
        return;
    }
  }
};

TEST(JobGraph, RandomLatticesRunInTopologicalOrder) { // 42
  std::mt19937 random(42);
  for (int round = 0; round < 60; ++round) {
    Box box{1 + static_cast<int>(random() % 3), {}, {}};
    Split tile{};
    for (int d = 0; d < box.rank; ++d) {
      box.low[d] = static_cast<long>(random() % 7);
      box.high[d] = box.low[d] + 1 + static_cast<long>(random() % (box.rank == 1 ? 2000 : 25));
      tile.size[d] = 1 + static_cast<long>(random() % 6);
    }
    Scheduler s(static_cast<int>(random() % 4 + 1));
    Lattice lattice(box);
    const auto visit = [](const void *l, const long *low, const long *high) {
      static_cast<Lattice *>(const_cast<void *>(l))->visit(low, high);
    };
    s.run(pb::wavefront(box, tile, visit, &lattice));
    EXPECT_EQ(lattice.wrong, 0) << "round " << round;
    for (const std::atomic<int> &v : lattice.visits)
      ASSERT_EQ(v, 1) << "round " << round;
  }
}

} // namespace
