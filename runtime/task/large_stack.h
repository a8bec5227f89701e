// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads whose stack is large enough for the sequential recursion of generated programs: 256 MiB of address space, of
// which memory is taken as it is used. If address space is limited, less of it is better than no thread.
//
//   pthread_t t = startOnLargeStack(entry, argument);   // pthread_join(t, ...) is up to the caller
#pragma once
#include <pthread.h>

namespace pb::task {

/// Throws std::system_error if no thread can start.
pthread_t startOnLargeStack(void *(*entry)(void *), void *argument);

} // namespace pb::task
