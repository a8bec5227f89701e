// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/worker.h"
#include "runtime/task/scheduler.h"
#include <cstdio>
#include <cstdlib>

namespace pb {
namespace task {
namespace {

constinit thread_local Worker *currentWorker = nullptr;

constexpr int kSpins = 200;     // rounds before parking; some 50-100 microseconds
constexpr int kEagerSpins = 50; // of these, without giving the core to others

} // namespace

Worker *Worker::current() { return currentWorker; }

Work *Worker::tryFind() {
  if (!deque.empty())
    if (Work *w = deque.popTop())
      return w;
  const unsigned long n = crew.workers.size();
  for (unsigned long tries = 0; n > 1 && tries < n; ++tries) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    Worker &victim = *crew.workers[random % n];
    if (&victim == this)
      continue;
    if (Work *w = victim.deque.steal())
      return w;
  }
  return nullptr;
}

bool Worker::workAnywhere() const {
  for (const auto &w : crew.workers)
    if (!w->deque.empty())
      return true;
  return false;
}

void Worker::park(const std::atomic<bool> &end) {
  auto stay = [&] { return workAnywhere() || end.load(std::memory_order_seq_cst); };
  deque.reset();
  crew.lot.announce(seat);
  if (stay()) {
    crew.lot.retract(seat);
    return;
  }
  if (crew.lot.sleep(seat, std::chrono::milliseconds(1)))
    return;
  if (stay()) { // see parking.h: the spawner's store is visible by now
    crew.lot.retract(seat);
    return;
  }
  crew.lot.sleep(seat, std::chrono::nanoseconds(0));
}

/// A task, or null when the end has come.
Work *Worker::find(const std::atomic<bool> &end) {
  while (true) {
    for (int spin = 0; spin < kSpins; ++spin) {
      if (Work *w = tryFind())
        return w;
      if (end.load(std::memory_order_relaxed))
        return nullptr;
      if (spin < kEagerSpins)
        for (int i = 0; i < 8; ++i)
          pause();
      else
        sched_yield();
    }
    park(end);
  }
}

void Worker::run(Work *w) {
  // Read only once: when the last task of a run is done, the next run may set it.
  if (TaskWatcher *watcher = crew.watcher) [[unlikely]] {
    const unsigned long begin = watcher->time();
    start(w);
    watcher->ran(begin);
  } else {
    start(w);
  }
}

void Worker::loop() {
  currentWorker = this;
  if (crew.context)
    pb_execution = crew.context;
  while (true) {
    Work *w = deque.popTop();
    if (!w && !(w = find(crew.stop)))
      break;
    run(w);
  }
  currentWorker = nullptr;
}

void Worker::workUntil(const std::atomic<bool> &end, Work *first) {
  Worker *const before = currentWorker; // of another scheduler, or null
  ExecutionContext *const contextBefore = pb_execution;
  currentWorker = this;
  if (crew.context)
    pb_execution = crew.context;
  if (first)
    run(first);
  while (!end.load(std::memory_order_acquire)) {
    Work *w = deque.popTop();
    if (!w && !(w = find(end)))
      break;
    run(w);
  }
  currentWorker = before;
  pb_execution = contextBefore;
}

} // namespace task

void pb_spawn(Work *work) {
  task::Worker *w = task::Worker::current();
  if (!w) [[unlikely]] {
    std::fprintf(stderr, "pbc runtime: internal error: a task was spawned outside of a worker thread\n");
    std::abort();
  }
  w->deque.pushTop(work);
  if (w->crew.lot.sleepers()) [[unlikely]]
    w->crew.lot.wakeOne();
}

void pb_scope_drain(const long *joined, long spawned) {
  task::Worker *me = task::Worker::current();
  while (__atomic_load_n(joined, __ATOMIC_ACQUIRE) != -spawned) {
    Work *w = me ? me->tryFind() : nullptr;
    if (w)
      task::start(w);
    else
      sched_yield();
  }
}

namespace {
void nothing(void *) {}
} // namespace
const IdleFrame pb_idle_frame = {nothing, nothing};

} // namespace pb
