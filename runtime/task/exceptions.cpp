// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Carries exceptions from a task to the place where it is joined, behind the freestanding header. Generated
// code sees an opaque pointer; here it is an owned std::exception_ptr.
#include "runtime/abi/task.h"
#include <exception>
#include <memory>

namespace pb {

void *pb_exception_capture() { return new std::exception_ptr(std::current_exception()); }

void pb_exception_rethrow(void *exception) {
  std::exception_ptr e;
  {
    std::unique_ptr<std::exception_ptr> owned(static_cast<std::exception_ptr *>(exception));
    e = std::move(*owned);
  }
  std::rethrow_exception(std::move(e));
}

void pb_exception_drop(void *exception) { delete static_cast<std::exception_ptr *>(exception); }

} // namespace pb
