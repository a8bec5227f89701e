// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keeps the signals of a child process to itself: a rule that calls kill(getppid(), SIGKILL), or kill(-1, SIGTERM),
// must end its own run and nothing else.
//
//   in the child, between fork and exec:   confineSignals({parent, its group, its own parent})
//
// A filter of system calls (seccomp) answers EPERM where a signal is meant for one of these processes, for all
// processes (-1), or for the group of one of these, and where a process wants to leave its session or group,
// for whoever is killed with its group must stay in it. All other calls pass. The filter needs no privileges and holds for
// all that the child starts. Invariant: only calls that are allowed between fork and exec are made.
// A system without such filters says so (false); what is left then is the child's own session and group, which
// kill(0) does not leave.
#pragma once
#include <sys/types.h>

namespace pbc::tuner {

/// Who must not get signals from a child.
struct Protected {
  pid_t tuner = 0, tunersGroup = 0, tunersParent = 0;
};

Protected thisProcess();

bool confineSignals(const Protected &);

/// Whether the system has what confineSignals() needs.
bool canConfineSignals();

} // namespace pbc::tuner
