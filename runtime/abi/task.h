// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tasks as generated programs see them: C++20 coroutines on the work-stealing scheduler.
//
// A transform's task-parallel version is a coroutine that returns a Job. Jobs start when awaited or spawned:
//
//   pb::Job sort_par(Region<double,1> out, Region<const double,1> in) {
//     pb::SpawnScope scope;
//     scope.spawn(sort_par(out.region(0, h), in.region(0, h)));      // may run elsewhere
//     co_await sort_par(out.region(h, n), in.region(h, n));          // complete before the next statement
//     co_await scope.sync();                                         // all spawned children are done
//     co_await merge_par(out, h);
//   }
//
// Invariants: a Job is awaited or spawned at most once; a SpawnScope is synced before it is destroyed (after
// an exception its destructor waits, running other tasks meanwhile); a suspended frame is the continuation
// task of petabricks-hetero 6.1, resumed by whichever worker finishes its last child; no worker ever blocks.
// In code without exceptions, a frame whose child failed is not resumed but destroyed where it waits, and the
// failure is passed on to the frame that waits for it: so generated programs need no code for unwinding. The
// scheduler is in runtime/task; this header stays free of libstdc++, because generated code includes it.
#pragma once

#ifndef _GLIBCXX_COROUTINE
#define _GLIBCXX_COROUTINE 1 // a later <coroutine> defines nothing that this header does not
#ifndef __cpp_lib_coroutine
#define __cpp_lib_coroutine 201902L
#endif
// The part of <coroutine> that compilers need. It uses the same inline namespace as libstdc++, so that to the
// linker both spellings of a handle are one type.
namespace std {
inline namespace __n4861 {
template <class R, class = void>
struct __pb_traits {};
template <class R>
  requires requires { typename R::promise_type; }
struct __pb_traits<R, void> {
  using promise_type = typename R::promise_type;
};
template <class R, class...>
struct coroutine_traits : __pb_traits<R> {};

template <class P = void>
struct coroutine_handle;
template <>
struct coroutine_handle<void> {
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static constexpr coroutine_handle from_address(void *frame) noexcept {
    coroutine_handle h;
    h.frame_ = frame;
    return h;
  }
  constexpr void *address() const noexcept { return frame_; }
  constexpr explicit operator bool() const noexcept { return frame_ != nullptr; }
  bool done() const noexcept { return __builtin_coro_done(frame_); }
  void operator()() const { resume(); }
  void resume() const { __builtin_coro_resume(frame_); }
  void destroy() const { __builtin_coro_destroy(frame_); }

private:
  void *frame_ = nullptr;
};
constexpr bool operator==(coroutine_handle<> a, coroutine_handle<> b) noexcept {
  return a.address() == b.address();
}
template <class P>
struct coroutine_handle {
  constexpr coroutine_handle() noexcept = default;
  constexpr coroutine_handle(decltype(nullptr)) noexcept {}
  static coroutine_handle from_promise(P &p) noexcept {
    return from_address(__builtin_coro_promise(static_cast<void *>(&p), alignof(P), true));
  }
  static constexpr coroutine_handle from_address(void *frame) noexcept {
    coroutine_handle h;
    h.frame_ = frame;
    return h;
  }
  constexpr void *address() const noexcept { return frame_; }
  constexpr operator coroutine_handle<>() const noexcept { return coroutine_handle<>::from_address(frame_); }
  constexpr explicit operator bool() const noexcept { return frame_ != nullptr; }
  bool done() const noexcept { return __builtin_coro_done(frame_); }
  void operator()() const { resume(); }
  void resume() const { __builtin_coro_resume(frame_); }
  void destroy() const { __builtin_coro_destroy(frame_); }
  P &promise() const { return *static_cast<P *>(__builtin_coro_promise(frame_, alignof(P), false)); }

private:
  void *frame_ = nullptr;
};
struct suspend_always {
  constexpr bool await_ready() const noexcept { return false; }
  constexpr void await_suspend(coroutine_handle<>) const noexcept {}
  constexpr void await_resume() const noexcept {}
};
struct suspend_never {
  constexpr bool await_ready() const noexcept { return true; }
  constexpr void await_suspend(coroutine_handle<>) const noexcept {}
  constexpr void await_resume() const noexcept {}
};
} // namespace __n4861
} // namespace std
#endif

/// Whether an exception can leave the code of this translation unit. All functions that ask are always
/// inlined, because units differ in the answer.
#ifdef __cpp_exceptions
#define PB_CATCHES true
#else
#define PB_CATCHES false
#endif

/// In builds for debugging, a transition between the states of a task that is not allowed ends the program (petabricks-hetero 6.1).
#if PB_TASK_CHECKS
#define PB_TASK_CHECK(condition, what) ((condition) ? (void)0 : ::pb::pb_task_misuse(what))
#else
#define PB_TASK_CHECK(condition, what) ((void)0)
#endif

namespace pb {

/// An entry of a deque: anything that a worker can run. `run` must not touch the Work after it has passed it
/// on.
struct Work {
  void (*run)(Work *) = nullptr;
};

extern "C" {
/// Makes `work` runnable: it goes to the top of the current worker's deque. Only to be called inside a task.
void pb_spawn(Work *work);
/// Memory of coroutine frames, from lists of the current thread; any thread may free it.
void *pb_frame_allocate(unsigned long bytes);
void pb_frame_free(void *frame, unsigned long bytes);
/// Captures the exception that is being handled, as an owned handle.
void *pb_exception_capture();
/// Rethrows the exception and consumes the handle.
[[noreturn]] void pb_exception_rethrow(void *exception);
void pb_exception_drop(void *exception);
/// Runs other tasks until `*joined == -spawned`. Needed when an exception leaves a scope while children run.
void pb_scope_drain(const long *joined, long spawned);
/// Prints the sentence and ends the program.
[[noreturn]] void pb_task_misuse(const char *what);
/// A coroutine frame whose resumption returns at once (to the worker's loop).
extern const struct IdleFrame {
  void (*resume)(void *);
  void (*destroy)(void *);
} pb_idle_frame;
}

class SpawnScope;

/// A coroutine that has not been started. It has no result; exceptions arrive where it is awaited or synced.
class [[nodiscard]] Job {
public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Job() = default;
  Job(Job &&o) noexcept : handle_(o.release()) {}
  Job &operator=(Job &&o) noexcept {
    Handle mine = handle_;
    handle_ = o.release();
    if (mine)
      mine.destroy();
    return *this;
  }
  ~Job() {
    if (handle_)
      handle_.destroy();
  }
  explicit operator bool() const { return static_cast<bool>(handle_); }

  struct Awaiter {
    Handle job;
    bool await_ready() const noexcept { return false; }
    [[gnu::always_inline]] inline Handle await_suspend(std::coroutine_handle<> caller) const noexcept;
    [[gnu::always_inline]] inline void await_resume() const;
  };
  /// Runs the job as part of the caller. The Job must live until then.
  Awaiter operator co_await() const noexcept { return {handle_}; }

private:
  friend class SpawnScope;
  explicit Job(Handle h) : handle_(h) {}
  /// Tells the frame that waits for a job that the job ended by `exception` (consumed); returns the coroutine
  /// to resume.
  static std::coroutine_handle<> fail(Handle job, void *exception) noexcept; // runtime/task/failure.cpp
  Handle release() {
    Handle h = handle_;
    handle_ = nullptr;
    return h;
  }
  Handle handle_;
};

/// The children of one frame. Only the frame itself calls spawn() and sync(); children count down on any
/// thread. `joined_` falls by one for each finished child; sync adds the number spawned, so the counter can
/// reach zero only when the frame is suspended and all its children are done: exactly one thread resumes the
/// frame.
class SpawnScope {
public:
  SpawnScope() = default;
  SpawnScope(const SpawnScope &) = delete;
  SpawnScope &operator=(const SpawnScope &) = delete;
  ~SpawnScope() {
    if (spawned_)
      pb_scope_drain(&joined_, spawned_);
    if (exception_)
      pb_exception_drop(exception_);
  }

  /// Makes the job a runnable task that other workers may steal. The job is destroyed when it is done.
  inline void spawn(Job &&job);

  struct Sync {
    SpawnScope &scope;
    [[gnu::always_inline]] bool await_ready() const noexcept {
      if (__atomic_load_n(&scope.joined_, __ATOMIC_ACQUIRE) != -scope.spawned_ ||
          (!PB_CATCHES && scope.exception_))
        return false;
      scope.joined_ = scope.spawned_ = 0;
      return true;
    }
    [[gnu::always_inline]] bool await_suspend(std::coroutine_handle<> frame) const noexcept {
      SpawnScope &s = scope; // this awaiter is part of the frame, which may be gone after the addition
      long spawned = s.spawned_;
      s.waiting_ = frame;
      s.waiterCatches_ = PB_CATCHES;
      s.spawned_ = 0;
      if (__atomic_add_fetch(&s.joined_, spawned, __ATOMIC_ACQ_REL) != 0)
        return true;
      if (PB_CATCHES || !s.exception_)
        return false;
      s.resumed().resume(); // the frame is gone; its parent goes on here
      return true;
    }
    [[gnu::always_inline]] void await_resume() const {
      if (!PB_CATCHES || !scope.exception_)
        return;
      void *e = scope.exception_;
      scope.exception_ = nullptr;
      pb_exception_rethrow(e);
    }
  };
  /// Suspends until all children are done; rethrows the exception of the first that failed.
  Sync sync() { return {*this}; }

private:
  friend class Job;
  /// Called by a child that has already been destroyed; returns the coroutine to resume.
  std::coroutine_handle<> childDone(void *exception) noexcept {
    if (exception) {
      void *none = nullptr;
      if (!__atomic_compare_exchange_n(&exception_, &none, exception, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE))
        pb_exception_drop(exception); // one report per scope
    }
    if (__atomic_sub_fetch(&joined_, 1, __ATOMIC_ACQ_REL) == 0)
      return exception_ && !waiterCatches_ ? resumed() : waiting_;
    return std::coroutine_handle<>::from_address(const_cast<IdleFrame *>(&pb_idle_frame));
  }

  /// The coroutine that goes on when all children are done and one failed, in code without exceptions.
  std::coroutine_handle<> resumed() noexcept; // runtime/task/failure.cpp

  long joined_ = 0;  // atomic
  long spawned_ = 0; // since the last sync; the frame's own
  std::coroutine_handle<> waiting_;
  void *exception_ = nullptr; // atomic
  bool waiterCatches_ = true;
};

struct Job::promise_type : Work {
  std::coroutine_handle<> continuation; // of an awaited job
  SpawnScope *scope = nullptr;          // of a spawned job
  void *exception = nullptr;
  bool callerCatches = true; // whether the code of the continuation has exceptions

  ~promise_type() {
    if (exception)
      pb_exception_drop(exception);
  }
  Job get_return_object() { return Job(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  struct Final {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) const noexcept {
      promise_type &p = self.promise();
      if (void *e = p.exception) {
        p.exception = nullptr;
        return fail(self, e);
      }
      if (!p.scope)
        return p.continuation;
      SpawnScope *scope = p.scope;
      self.destroy(); // before the parent may go on: arguments are released when sync returns
      return scope->childDone(nullptr);
    }
    void await_resume() const noexcept {}
  };
  Final final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { exception = pb_exception_capture(); }

  static void *operator new(decltype(sizeof(0)) bytes) { return pb_frame_allocate(bytes); }
  static void operator delete(void *frame, decltype(sizeof(0)) bytes) { pb_frame_free(frame, bytes); }
};

inline Job::Handle Job::Awaiter::await_suspend(std::coroutine_handle<> caller) const noexcept {
  PB_TASK_CHECK(job, "a job that is awaited has not been spawned or moved from");
  PB_TASK_CHECK(!job.promise().continuation, "a job is awaited once");
  job.promise().continuation = caller;
  job.promise().callerCatches = PB_CATCHES;
  return job;
}

inline void Job::Awaiter::await_resume() const {
  promise_type &p = job.promise();
  if (!PB_CATCHES || !p.exception)
    return;
  void *e = p.exception;
  p.exception = nullptr;
  pb_exception_rethrow(e);
}

inline void SpawnScope::spawn(Job &&job) {
  PB_TASK_CHECK(job, "a job that is spawned has not been spawned before or moved from");
  PB_TASK_CHECK(!job.handle_.promise().continuation, "a job that is spawned has not been awaited");
  Job::promise_type &p = job.release().promise();
  p.scope = this;
  p.run = [](Work *w) { Job::Handle::from_promise(*static_cast<Job::promise_type *>(w)).resume(); };
  ++spawned_;
  pb_spawn(&p);
}

} // namespace pb
