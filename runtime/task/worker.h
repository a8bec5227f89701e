// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One worker thread: its deque, and the loop that runs tasks.
//
//   Worker::current()->deque.pushTop(work);   // what pb_spawn does
//
// The loop looks first in its own deque, then in those of random victims, then spins for a bounded time, and
// then sleeps in the parking lot (petabricks-hetero 6.2, requirements 47 and 50). Invariant: a Worker belongs
// to one Crew and is used by one thread at a time; other threads touch only `deque` (as its header allows) and `seat`.
#pragma once
#include "runtime/abi/slots.h"
#include "runtime/task/caller_seat.h"
#include "runtime/task/deque.h"
#include "runtime/task/parking.h"
#include <memory>
#include <pthread.h>
#include <vector>

namespace pb::task {

struct Worker;
class Scheduler;
class StepDevices;
class TaskWatcher;

/// What the workers of one scheduler share.
struct Crew {
  Scheduler *scheduler = nullptr;
  ExecutionContext *context = nullptr; // null: the program's
  std::vector<std::unique_ptr<Worker>> workers;
  ParkingLot lot;
  std::atomic<bool> stop = false;
  StepDevices *devices = nullptr; // set before the first task
  TaskWatcher *watcher = nullptr; // likewise
  std::atomic<int> visitors = 0;  // other threads that are making something runnable
  /// Of the first worker, where callers of run() work. Else all workers have threads.
  std::unique_ptr<CallerSeat> callerSeat;
};

struct Worker {
  explicit Worker(Crew &c, unsigned long seed) : crew(c), random(seed) {}

  /// The worker whose thread this is, or null.
  static Worker *current();
  /// Runs tasks until the crew stops.
  void loop();
  /// Runs `first`, if there is one, and then tasks until `end` is set; a task of another run may be left in the deque.
  void workUntil(const std::atomic<bool> &end, Work *first);
  /// Takes a task from its own deque or from another worker's, or returns null. Never waits.
  Work *tryFind();

  Deque deque;
  Crew &crew;
  unsigned long random; // state of a xorshift generator, never 0
  Seat seat;
  pthread_t thread = {};

private:
  Work *find(const std::atomic<bool> &end);
  bool workAnywhere() const;
  void park(const std::atomic<bool> &end);
  void run(Work *);
};

/// Runs a task that was taken from a deque. It is not touched afterwards.
inline void start(Work *work) {
  auto *const run = work->run;
  PB_TASK_CHECK(run, "a task is made runnable once");
#if PB_TASK_CHECKS
  work->run = nullptr;
#endif
  run(work);
}

} // namespace pb::task
