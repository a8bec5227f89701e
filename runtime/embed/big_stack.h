// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs a function of the calling thread on a stack that is as large as a worker's: a transform that calls itself needs
// more than a caller's thread may have, and handing a small call to a worker takes longer than the call.
//
//   if (hasBigStack()) onBigStack([&] { t.runHere(...); });      // rethrows what it throws
//
// Each thread gets its stack with its first such call and loses it at its end; 256 MiB of addresses, of which the pages
// that are used need memory. No signal handler, no system call: the function is called with another stack pointer.
#pragma once
#include <exception>

namespace pb::embed {

/// False where this is not written for the processor, where a sanitizer needs to know the stack, or where there are no
/// addresses left.
bool hasBigStack() noexcept;

/// `run` must not throw.
void callOnBigStack(void (*run)(void *), void *argument);

template <class Do>
void onBigStack(Do &&what) {
  struct Call {
    Do &what;
    std::exception_ptr thrown = nullptr;
  } call{what};
  callOnBigStack(
      [](void *c) {
        Call &mine = *static_cast<Call *>(c);
        try {
          mine.what();
        } catch (...) {
          mine.thrown = std::current_exception();
        }
      },
      &call);
  if (call.thrown)
    std::rethrow_exception(std::move(call.thrown));
}

} // namespace pb::embed
