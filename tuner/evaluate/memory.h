// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory a candidate may use, and how much a process has.
//
//   const long share = memoryShare();     // 16 GB where 21 GB are free
//   residentBytes(pid) > share            // then the process is ended
//
// The share is three quarters of what is free when the tuning begins, according to the machine and to the
// control group of the tuner, so that a candidate which allocates all it can does not disturb other
// processes. Source: tuning-practice.md 3.
#pragma once
#include <sys/types.h>

namespace pbc::tuner {

/// In bytes; 0: the system does not report how much is free.
long memoryShare();

/// The resident memory of a process, including memory shared with others; 0 if the process is gone.
long residentBytes(pid_t);

} // namespace pbc::tuner
