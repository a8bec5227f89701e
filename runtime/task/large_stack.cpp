// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/task/large_stack.h"
#include <system_error>

namespace pb::task {

pthread_t startOnLargeStack(void *(*entry)(void *), void *argument) {
  constexpr unsigned long kStack = 256ul << 20, kLeastStack = 1ul << 20;
  int error = 0;
  for (unsigned long stack = kStack; stack >= kLeastStack; stack /= 2) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, entry, argument);
    pthread_attr_destroy(&attributes);
    if (!error)
      return thread;
  }
  throw std::system_error(error, std::generic_category(), "cannot start a worker thread");
}

} // namespace pb::task
