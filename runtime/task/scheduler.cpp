// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/scheduler.h"
#include "runtime/task/large_stack.h"
#include "runtime/task/worker.h"
#include <cassert>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace pb {
namespace task {
namespace {

std::atomic<Scheduler *> newest = nullptr;

/// The signals of a process are for its own threads: while this object lives, threads start with all of them blocked,
/// except those that a thread raises itself.
class WithoutSignals {
public:
  WithoutSignals() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGPROF})
      sigdelset(&blocked, own);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals &) = delete;
  WithoutSignals &operator=(const WithoutSignals &) = delete;

private:
  sigset_t before_;
};

pthread_t startThread(Worker &worker) {
  const WithoutSignals signals;
  return startOnLargeStack([](void *w) -> void * { return static_cast<Worker *>(w)->loop(), nullptr; },
                           &worker);
}

unsigned long firstWithThread(const Crew &crew) { return crew.callerSeat ? 1 : 0; }

/// Ends the threads of the workers before this one.
void stopAll(Crew &crew, unsigned long started) {
  crew.stop.store(true, std::memory_order_seq_cst);
  crew.lot.wakeAll();
  for (unsigned long i = firstWithThread(crew); i < started; ++i)
    pthread_join(crew.workers[i]->thread, nullptr);
}

/// How often the thread that called run() polls for the end before it sleeps, if the workers leave a core for
/// that, and how many of these polls do not offer that core to other threads: some 50 microseconds, as being
/// woken takes 5 to 10.
constexpr int kLooks = 100, kEagerLooks = 20;

/// The end of a run, for the thread that called run().
class Completion {
public:
  explicit Completion(Crew &crew)
      : crew_(crew), looks_(static_cast<int>(crew.workers.size()) < processors() ? kLooks : 0) {}
  const std::atomic<bool> &isDone() const { return done_; }
  void done(std::exception_ptr error) {
    std::lock_guard hold(mutex_); // to the end: the waiter destroys this object
    error_ = std::move(error);
    done_.store(true, std::memory_order_seq_cst);
    if (crew_.callerSeat) {
      Worker &seated = *crew_.workers.front();
      if (Worker::current() != &seated && crew_.lot.sleepersExactly())
        crew_.lot.wake(seated.seat);
      crew_.callerSeat->noteEnd();
    } else {
      changed_.notify_one();
    }
  }
  /// After isDone() was seen; rethrows what the run threw.
  void finish() {
    std::lock_guard hold(mutex_);
    if (error_)
      std::rethrow_exception(std::move(error_));
  }
  void wait() {
    for (int look = 0; look < looks_ && !done_.load(std::memory_order_acquire); ++look)
      if (look < kEagerLooks)
        for (int i = 0; i < 8; ++i)
          pause();
      else
        sched_yield();
    {
      std::unique_lock hold(mutex_);
      changed_.wait(hold, [&] { return done_.load(std::memory_order_relaxed); });
    }
    finish();
  }

private:
  static int processors() {
    static const int count = static_cast<int>(std::thread::hardware_concurrency());
    return count;
  }

  Crew &crew_;
  const int looks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr error_;
  std::atomic<bool> done_ = false;
};

/// A coroutine that no other one waits for: it destroys itself at its end.
struct Root {
  struct promise_type : Work {
    Root get_return_object() {
      run = [](Work *w) {
        std::coroutine_handle<promise_type>::from_promise(*static_cast<promise_type *>(w)).resume();
      };
      return {this};
    }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  Work *work;
};

Root drive(Job given, Completion &completion) {
  std::exception_ptr error;
  try {
    Job job = std::move(given); // destroyed, with its arguments, before run() returns
    co_await job;
  } catch (...) {
    error = std::current_exception();
  }
  completion.done(std::move(error));
}

} // namespace

Scheduler::Scheduler(int threads, Caller caller, ExecutionContext *context)
    : crew_(std::make_unique<Crew>()) {
  crew_->scheduler = this;
  crew_->context = context;
  if (caller == Caller::Works)
    crew_->callerSeat = std::make_unique<CallerSeat>();
  for (int i = 0; i < std::max(threads, 1); ++i)
    crew_->workers.push_back(std::make_unique<Worker>(*crew_, 0x9E3779B97F4A7C15ul * (i + 1)));
  for (unsigned long i = firstWithThread(*crew_); i < crew_->workers.size(); ++i) {
    try {
      crew_->workers[i]->thread = startThread(*crew_->workers[i]);
    } catch (...) {
      stopAll(*crew_, i);
      throw;
    }
  }
  if (!context)
    previous_ = newest.exchange(this);
}

Scheduler::~Scheduler() {
  Scheduler *me = this;
  newest.compare_exchange_strong(me, previous_);
  // Work that another thread made runnable may have ended before that thread has left makeRunnable().
  while (crew_->visitors.load(std::memory_order_acquire))
    sched_yield();
  stopAll(*crew_, crew_->workers.size());
}

void Scheduler::setDevices(StepDevices *devices) { crew_->devices = devices; }
void Scheduler::setWatcher(TaskWatcher *watcher) { crew_->watcher = watcher; }

int Scheduler::threads() const { return static_cast<int>(crew_->workers.size()); }

Scheduler *Scheduler::current() {
  Worker *w = Worker::current();
  return w ? w->crew.scheduler : nullptr;
}

void Scheduler::makeRunnable(Work *work) {
  Worker *me = Worker::current();
  if (me && &me->crew == crew_.get())
    return pb_spawn(work);
  static std::atomic<unsigned long> calls = 0;
  unsigned long r = (calls.fetch_add(1, std::memory_order_relaxed) + 1) * 0x9E3779B97F4A7C15ul;
  crew_->visitors.fetch_add(1, std::memory_order_relaxed);
  crew_->workers[(r >> 32) % crew_->workers.size()]->deque.pushBottom(work);
  if (crew_->lot.sleepersExactly())
    crew_->lot.wakeOne();
  crew_->visitors.fetch_sub(1, std::memory_order_release);
}

/// A worker that waited for its own scheduler would hang; with one worker this is certain.
static void checkCaller(const Scheduler &s) {
  if (Scheduler::current() == &s)
    throw std::logic_error("Scheduler::run() blocks: inside of a task, co_await or spawn instead");
}

void Scheduler::run(Job &&job) {
  checkCaller(*this);
  assert(job);
  Completion completion(*crew_);
  Work *const work = drive(std::move(job), completion).work;
  CallerSeat *const seat = crew_->callerSeat.get();
  if (!seat) {
    makeRunnable(work);
    return completion.wait();
  }
  Work *first = work;
  bool isSeated = seat->tryTake();
  if (!isSeated) {
    makeRunnable(std::exchange(first, nullptr));
    isSeated = seat->take(completion.isDone());
  }
  if (isSeated) {
    crew_->workers.front()->workUntil(completion.isDone(), first);
    seat->leave();
  }
  completion.finish();
}

} // namespace task

int pb_threads() {
  if (task::Worker *w = task::Worker::current())
    return static_cast<int>(w->crew.workers.size());
  if (pb_execution->threads)
    return pb_execution->threads;
  task::Scheduler *s = task::newest.load();
  return s ? s->threads() : 1;
}

} // namespace pb
