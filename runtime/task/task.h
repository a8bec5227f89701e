// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Nodes of a task graph with arbitrary acyclic dependences: five states and continuations (petabricks-hetero
// 6.1).
//
//   TaskRef load = makeTask([] { ... }), work = makeTask([] { ...; return makeTask(rest); });
//   TaskRef print = makeTask([] { ... });
//   work->dependOn(*load);
//   print->dependOn(*work);          // in fact on `rest`, once work has returned it
//   load->enqueue(scheduler), work->enqueue(scheduler);
//   scheduler.run(print);            // waits
//
//   new ──enqueue──► runnable ──run──► complete
//    └──enqueue──► non-runnable ──last dependence done──► runnable ──run──► continued (as another task)
//
// Invariants: dependences are added to new tasks only. A non-runnable task is referred to only by the
// dependents lists of its predecessors; a runnable one is in exactly one deque or being run. A task's
// dependents are released exactly once, by the task itself or, if it continued, by its last continuation.
// Violations assert in debug builds. Cycles are an error of the caller and are never run. A task that throws
// is complete: its dependents are released, but with the error. For them failed() is called instead of run();
// by default it passes the error on, so that it reaches the code that waits (requirement 51).
#pragma once
#include "runtime/abi/task.h"
#include "runtime/task/spinlock.h"
#include <atomic>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

namespace pb::task {

class Scheduler;
class Task;

/// A counted reference to a task.
class TaskRef {
public:
  TaskRef() = default;
  inline explicit TaskRef(Task *task);
  TaskRef(const TaskRef &o) : TaskRef(o.task_) {}
  TaskRef(TaskRef &&o) noexcept : task_(std::exchange(o.task_, nullptr)) {}
  TaskRef &operator=(TaskRef o) noexcept { return std::swap(task_, o.task_), *this; }
  inline ~TaskRef();
  Task *operator->() const { return task_; }
  Task &operator*() const { return *task_; }
  Task *get() const { return task_; }
  explicit operator bool() const { return task_ != nullptr; }

private:
  Task *task_ = nullptr;
};

class Task : private Work {
public:
  enum class State : unsigned char { New, NonRunnable, Runnable, Complete, Continued };

  Task();
  virtual ~Task();
  Task(const Task &) = delete;
  Task &operator=(const Task &) = delete;

  State state() const { return state_.load(std::memory_order_acquire); }
  /// This task, which must be new, will not run before `predecessor` and all its continuations are complete.
  /// Has no effect if they already are (except that an error is taken over).
  void dependOn(Task &predecessor);
  /// Ends the new state: nothing can be added any more, and the task runs on `scheduler` as soon as all
  /// dependences are done.
  void enqueue(Scheduler &scheduler);
  /// The exception that it threw, or a predecessor's error that it passed on; only valid when complete.
  std::exception_ptr error() const { return error_; }
  /// How many dependences are not done yet.
  int pending() const { return pending_.load(std::memory_order_acquire) - (state() == State::New); }

protected:
  /// Does the work. Returns null if the task is complete, or a new task as which it continues; the caller
  /// enqueues that task.
  virtual TaskRef run() = 0;
  /// Instead of run() if a predecessor failed.
  virtual TaskRef failed(std::exception_ptr error) { std::rethrow_exception(std::move(error)); }
  /// Called once when the task becomes runnable: puts work() where it will be run exactly once. By default
  /// that is scheduler.makeRunnable(); a device's task goes to the FIFO of the device's management thread
  /// instead.
  virtual void schedule(Scheduler &scheduler);
  /// The task as an element of a deque. Running it makes the task complete or continued.
  Work *work() { return this; }

private:
  friend class TaskRef;
  using Dependents = std::vector<TaskRef>;
  void becomeRunnable();
  void execute();
  void finish(const std::exception_ptr &error);
  void continueAs(TaskRef next);
  void dependenceDone(const std::exception_ptr &error);

  std::atomic<State> state_ = State::New;
  std::atomic<int> references_ = 0;
  std::atomic<int> pending_ = 1; // dependences, and one for "not enqueued yet"
  Scheduler *scheduler_ = nullptr;
  mutable SpinLock lock_; // guards all below
  Dependents dependents_;
  TaskRef continuation_;
  std::exception_ptr error_;
};

inline TaskRef::TaskRef(Task *task) : task_(task) {
  if (task_)
    task_->references_.fetch_add(1, std::memory_order_relaxed);
}

inline TaskRef::~TaskRef() {
  if (task_ && task_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete task_;
}

/// A task made from a callable that returns nothing or a TaskRef.
template <class F>
class FunctionTask final : public Task {
public:
  explicit FunctionTask(F f) : function_(std::move(f)) {}

protected:
  TaskRef run() override {
    if constexpr (std::is_void_v<std::invoke_result_t<F &>>)
      return function_(), TaskRef();
    else
      return function_();
  }

private:
  F function_;
};

template <class T, class... Arguments>
  requires std::is_base_of_v<Task, T>
TaskRef makeTask(Arguments &&...arguments) {
  return TaskRef(new T(std::forward<Arguments>(arguments)...));
}

template <class F>
  requires std::is_invocable_v<F &>
TaskRef makeTask(F function) {
  return TaskRef(new FunctionTask<F>(std::move(function)));
}

} // namespace pb::task
