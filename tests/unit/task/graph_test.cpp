// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Task graphs: states, dependences, continuations (petabricks-hetero 10: 35, 37-42, 51).
#include "runtime/task/scheduler.h"
#include "runtime/task/task.h"
#include "tests/unit/sanitized.h"
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace pb::task;
using State = Task::State;

namespace {

/// A task that runs when the test decides: it is put into `ready` instead of a worker's deque.
class ManualTask : public Task {
public:
  explicit ManualTask(std::deque<ManualTask *> &ready, TaskRef next = {}) : ready_(ready), next_(next) {}
  void runNow() { work()->run(work()); }
  State whileRunning = State::New;

protected:
  TaskRef run() override { return whileRunning = state(), next_; }
  void schedule(Scheduler &) override { ready_.push_back(this); }

private:
  std::deque<ManualTask *> &ready_;
  TaskRef next_;
};

class Graph : public testing::Test {
protected:
  TaskRef make(TaskRef next = {}) { return makeTask<ManualTask>(ready, next); }
  void runFirst() {
    ASSERT_FALSE(ready.empty());
    ManualTask *t = ready.front();
    ready.pop_front();
    t->runNow();
  }
  std::deque<ManualTask *> ready;
  Scheduler scheduler{1};
};

TEST_F(Graph, NewRunnableComplete) { // 35
  TaskRef t = make();
  EXPECT_EQ(t->state(), State::New);
  t->enqueue(scheduler);
  EXPECT_EQ(t->state(), State::Runnable);
  ASSERT_EQ(ready.size(), 1u);
  runFirst();
  EXPECT_EQ(static_cast<ManualTask &>(*t).whileRunning, State::Runnable);
  EXPECT_EQ(t->state(), State::Complete);
}

TEST_F(Graph, NonRunnableUntilTheLastDependence) { // 35, 40, 41
  TaskRef a = make(), b = make(), c = make();
  c->dependOn(*a), c->dependOn(*b), c->dependOn(*a);
  c->enqueue(scheduler);
  EXPECT_EQ(c->state(), State::NonRunnable);
  EXPECT_EQ(c->pending(), 3);
  EXPECT_TRUE(ready.empty()); // it is only in lists of dependents
  a->enqueue(scheduler), b->enqueue(scheduler);
  runFirst();
  EXPECT_EQ(c->state(), State::NonRunnable);
  EXPECT_EQ(ready.size(), 1u);
  runFirst();
  EXPECT_EQ(c->state(), State::Runnable);
  EXPECT_EQ(ready.size(), 1u); // exactly one place
  runFirst();
  EXPECT_EQ(c->state(), State::Complete);
}

TEST_F(Graph, DependingOnACompleteTaskAddsNothing) { // 37
  TaskRef a = make(), b = make();
  a->enqueue(scheduler);
  runFirst();
  b->dependOn(*a);
  EXPECT_EQ(b->pending(), 0);
  b->enqueue(scheduler);
  EXPECT_EQ(b->state(), State::Runnable);
  runFirst();
}

TEST_F(Graph, DependentsFollowAChainOfContinuations) { // 38, 39
  TaskRef last = make(), third = make(last), second = make(third), first = make(second);
  TaskRef before = make(), after = make();
  before->dependOn(*first);
  before->enqueue(scheduler);
  first->enqueue(scheduler);
  for (int i = 0; i < 3; ++i) {
    runFirst(); // first, second, third
    EXPECT_EQ(before->state(), State::NonRunnable);
    EXPECT_EQ(before->pending(), 1); // moved, not added again
  }
  for (const TaskRef &t : {first, second, third})
    EXPECT_EQ(t->state(), State::Continued);
  after->dependOn(*first); // forwarded three times, to `last`
  EXPECT_EQ(after->pending(), 1);
  after->enqueue(scheduler);
  runFirst(); // last
  EXPECT_EQ(last->state(), State::Complete);
  EXPECT_EQ(before->state(), State::Runnable);
  EXPECT_EQ(after->state(), State::Runnable);
  TaskRef late = make();
  late->dependOn(*first);
  EXPECT_EQ(late->pending(), 0);
  while (!ready.empty())
    runFirst();
}

TEST_F(Graph, AContinuationMayHaveDependencesOfItsOwn) { // 35
  TaskRef other = make(), next = make(), first = make(next), dependent = make();
  next->dependOn(*other);
  dependent->dependOn(*first), dependent->dependOn(*next);
  dependent->enqueue(scheduler);
  first->enqueue(scheduler);
  runFirst();
  EXPECT_EQ(next->state(), State::NonRunnable);
  other->enqueue(scheduler);
  runFirst(), runFirst(); // other, next
  EXPECT_EQ(dependent->state(), State::Runnable);
  runFirst();
}

TEST(TaskGraph, LongChainOfContinuationsRunsAndDies) { // 38
  Scheduler s(2);
  long steps = 0;
  struct Step {
    long *steps, left;
    TaskRef operator()() const {
      ++*steps;
      return left ? makeTask(Step{steps, left - 1}) : TaskRef();
    }
  };
  TaskRef first = makeTask(Step{&steps, scaled(300'000)});
  s.run(first);
  EXPECT_EQ(steps, scaled(300'000) + 1);
}

/// A node of a random graph: checks whether its predecessors are done, then continues or completes.
struct Node {
  std::vector<int> before;
  std::atomic<int> done = 0;
};

void randomGraph(int threads, int nodes, unsigned seed) {
  Scheduler s(threads);
  std::vector<Node> graph(nodes);
  std::vector<TaskRef> tasks(nodes);
  std::atomic<long> early = 0, runs = 0;
  std::mt19937 random(seed);
  for (int i = 0; i < nodes; ++i) {
    Node &n = graph[i];
    const int continuations = random() % 8 == 0 ? 1 + random() % 3 : 0;
    const unsigned width = random() % 4;
    for (unsigned k = 0; k < width && i > 0; ++k) {
      int reach = random() % 16 ? std::min(i, 64) : i; // mostly near, some far
      n.before.push_back(i - 1 - static_cast<int>(random() % reach));
    }
    struct Body {
      std::vector<Node> &graph;
      Node &node;
      std::atomic<long> &early, &runs;
      int continuations;
      TaskRef operator()() const {
        for (int b : node.before)
          early += graph[b].done.load(std::memory_order_relaxed) == 0;
        if (continuations)
          return makeTask(Body{graph, node, early, runs, continuations - 1});
        node.done.fetch_add(1, std::memory_order_relaxed);
        runs.fetch_add(1, std::memory_order_relaxed);
        return {};
      }
    };
    tasks[i] = makeTask(Body{graph, n, early, runs, continuations});
    for (int b : n.before)
      tasks[i]->dependOn(*tasks[b]); // while earlier nodes are running
    tasks[i]->enqueue(s);
  }
  TaskRef end = makeTask([] {});
  for (auto &t : tasks)
    end->dependOn(*t);
  s.run(end);
  EXPECT_EQ(early.load(), 0);
  EXPECT_EQ(runs.load(), nodes);
  long wrong = 0;
  for (auto &n : graph)
    wrong += n.done.load() != 1;
  EXPECT_EQ(wrong, 0);
}

TEST(TaskGraph, MillionRandomTasksInTopologicalOrder) { // 39, 42, 41
  for (unsigned seed = 1; seed <= 10; ++seed)
    randomGraph(seed % 3 + 2, 100'000, seed);
}

TEST(TaskGraph, OneWorker) { // 42, 47
  randomGraph(1, 10'000, 7);
}

TEST(TaskGraph, ErrorsReleaseDependentsAndReachWhoWaits) { // 51
  Scheduler s(2);
  std::atomic<int> ran = 0;
  TaskRef bad = makeTask([]() -> void { throw std::runtime_error("broken"); });
  TaskRef middle = makeTask([&] { ++ran; }), end = makeTask([&] { ++ran; }), other = makeTask([&] { ++ran; });
  middle->dependOn(*bad), end->dependOn(*middle), end->dependOn(*other);
  bad->enqueue(s), middle->enqueue(s), other->enqueue(s);
  EXPECT_THROW(s.run(end), std::runtime_error);
  EXPECT_EQ(ran, 1); // `other`: what depends on a failure has no valid input
  EXPECT_EQ(bad->state(), State::Complete);
  TaskRef late = makeTask([&] { ++ran; });
  late->dependOn(*bad);
  EXPECT_THROW(s.run(late), std::runtime_error);
  EXPECT_EQ(ran, 1);
}

TEST(TaskGraph, ErrorInAContinuation) { // 51, 38
  Scheduler s(1);
  TaskRef t = makeTask([] { return makeTask([]() -> void { throw std::logic_error("later"); }); });
  EXPECT_THROW(s.run(t), std::logic_error);
  EXPECT_EQ(t->state(), State::Continued);
}

} // namespace
