// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes a failure up through frames that exceptions cannot leave (runtime/abi/task.h).
#include "runtime/abi/task.h"
#include <cstdio>
#include <cstdlib>

namespace pb {

std::coroutine_handle<> Job::fail(Handle job, void *exception) noexcept {
  for (;;) {
    promise_type &p = job.promise();
    if (SpawnScope *scope = p.scope) {
      job.destroy(); // also destroys the job that it awaits, and so on
      return scope->childDone(exception);
    }
    if (p.callerCatches) {
      p.exception = exception;
      return p.continuation;
    }
    job = Handle::from_address(p.continuation.address()); // code without exceptions has no other coroutines
  }
}

std::coroutine_handle<> SpawnScope::resumed() noexcept {
  void *exception = exception_;
  exception_ = nullptr;
  return Job::fail(Job::Handle::from_address(waiting_.address()), exception);
}

void pb_task_misuse(const char *what) {
  std::fprintf(stderr, "pbc runtime: internal error: %s\n", what);
  std::abort();
}

} // namespace pb
