// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps the signals of a child process to itself: a rule that calls kill(getppid(), SIGKILL), or kill(-1, SIGTERM),
// must end its own run and nothing else.
//
//   in the child, between fork and exec:   confineSignals({parent, its group, its own parent})
//
// A filter of system calls (seccomp) answers EPERM if a signal is sent to one of these processes, to all processes
// (-1) or to the group of one of these. It also answers EPERM if a process tries to leave its session or group,
// because killing the group must reach all of its processes. All other calls pass. The filter needs no privileges and
// also holds for all processes that the child starts. On a system without such filters the function returns false;
// the only protection then is the child's own session and group, which kill(0) does not leave.
//
// Invariant: only calls that are allowed between fork and exec are made.
#pragma once
#include <sys/types.h>

namespace pbc::tuner {

/// The processes that must not get signals from a child.
struct Protected {
  pid_t tuner = 0, tunersGroup = 0, tunersParent = 0;
};

Protected thisProcess();

bool confineSignals(const Protected &);

/// Whether the system supports what confineSignals() needs.
bool canConfineSignals();

} // namespace pbc::tuner
