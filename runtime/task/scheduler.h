// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The workers, as the rest of the runtime sees them.
//
//   Scheduler s(8);
//   s.run(transform->start(args, params));   // from any thread that is not a worker; blocks; rethrows
//
// Every worker has its own deque and a stack of 256 MiB (address space, not memory), because sequential
// recursion of generated programs runs on it. With Caller::Works the thread that calls run() is one of the workers
// meanwhile, so that short runs do not wait for others to wake up. An idle scheduler uses no CPU. Invariants: petabricks-hetero
// 6.1, 6.2. run() may be called by several threads at once; a Scheduler is destroyed only when no run() is
// under way.
#pragma once
#include "runtime/abi/slots.h"
#include "runtime/abi/task.h"
#include <memory>

namespace pb {

/// The number of workers: on a worker, of its scheduler; on another thread, of its context, or of the newest
/// scheduler of a program, or 1.
extern "C" int pb_threads();

namespace task {

struct Crew;
class StepDevices;

/// Observes tasks, for traces. Workers call it concurrently.
class TaskWatcher {
public:
  virtual ~TaskWatcher() = default;
  virtual unsigned long time() const = 0;
  virtual void ran(unsigned long begin) = 0;
};

/// What a thread does that has called run(). Where it works, one thread less is started, tasks are run only during a
/// run(), and its stack has to be as large as a worker's (large_stack.h).
enum class Caller { Waits, Works };

class Scheduler {
public:
  /// `threads`: number of workers; less than 1 counts as 1. They run in `context`, or in the program's if it is null.
  /// Throws std::system_error if no thread can start.
  explicit Scheduler(int threads, Caller = Caller::Waits, ExecutionContext *context = nullptr);
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  int threads() const;
  /// Sets the object that carries out steps that are placed on devices. To be called before the first run().
  /// It must outlive the scheduler.
  void setDevices(StepDevices *);
  /// Sets the object that is told of each task that a worker has run. To be called before the first run(). It
  /// must outlive the scheduler.
  void setWatcher(TaskWatcher *);

  /// Runs the job on the workers and returns when it is done; rethrows what it threw. Throws
  /// std::logic_error when called by one of these workers.
  void run(Job &&job);

  /// Makes `work` runnable: called by a worker of this scheduler, on top of its own deque; called elsewhere
  /// (the management thread of a device, the main thread), at the bottom of a random worker's deque
  /// (petabricks-hetero 6.3).
  void makeRunnable(Work *work);

  /// The scheduler whose worker this thread is, or null.
  static Scheduler *current();

private:
  std::unique_ptr<Crew> crew_;
  Scheduler *previous_ = nullptr; // the scheduler made before this one, for pb_threads() outside of workers
};

} // namespace task
} // namespace pb
