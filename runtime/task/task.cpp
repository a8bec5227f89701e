// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/task.h"
#include "runtime/task/scheduler.h"
#include <cassert>
#include <mutex>

namespace pb::task {

Task::Task() {
  Work::run = [](Work *w) {
    TaskRef self(static_cast<Task *>(w));
    // The reference that the deque held, see becomeRunnable().
    self->references_.fetch_sub(1, std::memory_order_relaxed);
    self->execute();
  };
}

Task::~Task() {
  // A long chain of continuations must not become a deep recursion of destructors.
  TaskRef next = std::move(continuation_);
  while (next && next->references_.load(std::memory_order_acquire) == 1)
    next = TaskRef(std::move(next->continuation_));
}

void Task::dependOn(Task &predecessor) {
  assert(state() == State::New && "dependences are added to new tasks only (petabricks-hetero 6.1)");
  assert(&predecessor != this && "a task cannot depend on itself");
  for (TaskRef p(&predecessor); p;) {
    std::unique_lock hold(p->lock_);
    switch (p->state()) {
    case State::Continued: {
      TaskRef next = p->continuation_;
      hold.unlock();
      p = std::move(next);
      continue;
    }
    case State::Complete: {
      std::exception_ptr error = p->error_;
      hold.unlock();
      if (!error)
        return;
      std::lock_guard mine(lock_);
      if (!error_)
        error_ = std::move(error);
      return;
    }
    default:
      pending_.fetch_add(1, std::memory_order_relaxed);
      p->dependents_.emplace_back(this);
      return;
    }
  }
}

void Task::enqueue(Scheduler &scheduler) {
  assert(state() == State::New && "a task is enqueued once");
  TaskRef self(this); // once other threads see it, it may run and be released at any time
  scheduler_ = &scheduler;
  if (pending_.load(std::memory_order_acquire) == 1) { // no other thread can count: all dependences are done
    pending_.store(0, std::memory_order_relaxed);
    return becomeRunnable();
  }
  state_.store(State::NonRunnable, std::memory_order_release);
  dependenceDone(nullptr);
}

void Task::dependenceDone(const std::exception_ptr &error) {
  if (error) {
    std::lock_guard hold(lock_);
    if (!error_)
      error_ = error;
  }
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1)
    becomeRunnable();
}

void Task::becomeRunnable() {
  assert((state() == State::New || state() == State::NonRunnable) && "a task becomes runnable once");
  state_.store(State::Runnable, std::memory_order_release);
  references_.fetch_add(1, std::memory_order_relaxed); // for the place where it is stored from now on
  schedule(*scheduler_);
}

void Task::schedule(Scheduler &scheduler) { scheduler.makeRunnable(this); }

void Task::execute() {
  assert(state() == State::Runnable && "only a runnable task can run");
  TaskRef next;
  std::exception_ptr error = std::exchange(error_, nullptr);
  try {
    next = error ? failed(std::move(error)) : run();
    error = nullptr;
  } catch (...) {
    error = std::current_exception();
  }
  if (next)
    continueAs(std::move(next));
  else
    finish(error);
}

void Task::finish(const std::exception_ptr &error) {
  Dependents released;
  {
    std::lock_guard hold(lock_);
    assert(state() == State::Runnable && "only a running task completes");
    error_ = error;
    state_.store(State::Complete, std::memory_order_release);
    released.swap(dependents_);
  }
  for (TaskRef &d : released)
    d->dependenceDone(error);
}

void Task::continueAs(TaskRef next) {
  assert(next->state() == State::New && "a continuation is a new task");
  assert(next.get() != this && "a task cannot continue as itself");
  Scheduler &scheduler = *scheduler_;
  {
    // The lock order follows the continuations, which cannot be cyclic. `next` may have dependents of its
    // own.
    std::scoped_lock hold(lock_, next->lock_);
    assert(state() == State::Runnable && "only a running task continues");
    if (next->dependents_.empty())
      next->dependents_.swap(dependents_);
    else
      for (TaskRef &d : dependents_)
        next->dependents_.push_back(std::move(d));
    dependents_.clear();
    continuation_ = next;
    state_.store(State::Continued, std::memory_order_release);
  }
  next->enqueue(scheduler);
}

} // namespace pb::task
