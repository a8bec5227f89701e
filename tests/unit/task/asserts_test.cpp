// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Illegal transitions end the program in debug builds (petabricks-hetero 10: 35, 36).
#include "runtime/task/scheduler.h"
#include "runtime/task/task.h"
#include <gtest/gtest.h>

using namespace pb::task;

namespace {

class StoredTask : public Task {
public:
  explicit StoredTask(TaskRef next = {}) : next_(next) {}
  void runNow() { work()->run(work()); }

protected:
  TaskRef run() override { return next_; }
  void schedule(Scheduler &) override {}

private:
  TaskRef next_;
};

StoredTask &stored(const TaskRef &t) { return static_cast<StoredTask &>(*t); }

// Threads are started in the child only, because death tests must not have threads.
struct Asserts : testing::Test {
  Asserts() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Asserts, DependenceOfATaskThatIsNotNew) { // 36
  auto illegal = [] {
    Scheduler s(1);
    TaskRef a = makeTask<StoredTask>(), b = makeTask<StoredTask>();
    a->enqueue(s);
    a->dependOn(*b);
  };
  EXPECT_DEATH(illegal(), "new tasks only");
}

TEST_F(Asserts, EnqueuedTwice) { // 35
  auto illegal = [] {
    Scheduler s(1);
    TaskRef a = makeTask<StoredTask>();
    a->enqueue(s);
    a->enqueue(s);
  };
  EXPECT_DEATH(illegal(), "enqueued once");
}

TEST_F(Asserts, RunTwice) { // 35, 41
  auto illegal = [] {
    Scheduler s(1);
    TaskRef a = makeTask<StoredTask>();
    a->enqueue(s);
    stored(a).runNow();
    stored(a).runNow();
  };
  EXPECT_DEATH(illegal(), "only a runnable task");
}

TEST_F(Asserts, RunBeforeItIsRunnable) { // 35, 40
  auto illegal = [] {
    Scheduler s(1);
    TaskRef a = makeTask<StoredTask>(), b = makeTask<StoredTask>();
    b->dependOn(*a);
    b->enqueue(s);
    stored(b).runNow();
  };
  EXPECT_DEATH(illegal(), "only a runnable task");
}

TEST_F(Asserts, ContinuationThatIsNotNew) { // 35
  auto illegal = [] {
    Scheduler s(1);
    TaskRef next = makeTask<StoredTask>(), a = makeTask<StoredTask>(next);
    next->enqueue(s);
    a->enqueue(s);
    stored(a).runNow();
  };
  EXPECT_DEATH(illegal(), "continuation is a new task");
}

TEST_F(Asserts, DependenceOnItself) { // 35
  auto illegal = [] {
    TaskRef a = makeTask<StoredTask>();
    a->dependOn(*a);
  };
  EXPECT_DEATH(illegal(), "depend on itself");
}

} // namespace
