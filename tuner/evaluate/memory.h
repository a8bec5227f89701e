// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How much memory a candidate may take, and how much a process has.
//
//   const long share = memoryShare();     // 16 GB where 21 GB are free
//   residentBytes(pid) > share            // then it is ended
//
// The share is three quarters of what is free when the tuning begins, by the machine and by the control group
// that we are in, so that a candidate which takes all it gets disturbs nobody. Source: tuning-practice.md 3.
#pragma once
#include <sys/types.h>

namespace pbc::tuner {

/// In bytes; 0: the system does not say how much is free.
long memoryShare();

/// What a process has in the machine's memory, what it shares with others included; 0 if it is gone.
long residentBytes(pid_t);

} // namespace pbc::tuner
