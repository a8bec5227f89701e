// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ctrl-C as a wish, not as an accident: the first SIGINT, SIGTERM or SIGHUP asks the tuning to end with what
// it has; one that comes later than a second after it ends the process as usual (the workers die with it).
// What comes sooner is the same wish: a shell, or `timeout`, sends it to the process and to its group.
// What is ignored stays so, as with nohup. We may have the same wish (requestStop).
//
//   InterruptGuard guard;   TimeLimit limit(begin + 10);   ...   if (stopRequested()) ...
//
// Invariant: the previous handlers are back when the guard is gone. A signal handler can only reach a global,
// so this flag is one.
#pragma once
#include <csignal>

namespace pbc::tuner {

/// By a signal, by ourselves, or because the time is over (TimeLimit).
bool stopRequested();

/// The same without the time.
bool isInterrupted();

/// As a signal does, but by ourselves: what is measured is not there any more.
void requestStop();

/// The signal that asked for it; 0: none did.
int stopSignal();

/// The exit status of what is stopped without a result: as a shell says of what a signal ended.
int stopStatus();

/// While it lives, there is a wish to stop from this moment of the steady clock on: a budget that is used up ends
/// all that is under way as Ctrl-C does. One at a time.
class TimeLimit {
public:
  explicit TimeLimit(double steadySeconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;
};

/// While it lives, the wish to stop counts as heard: what is left to do, a report, runs to its end, programs
/// that are started for it included.
class StopHeard {
public:
  StopHeard();
  ~StopHeard();
  StopHeard(const StopHeard &) = delete;
  StopHeard &operator=(const StopHeard &) = delete;
};

class InterruptGuard {
public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard &) = delete;
  InterruptGuard &operator=(const InterruptGuard &) = delete;

private:
  struct Before {
    int signal;
    struct sigaction action;
  };
  // SIGHUP: the terminal was closed. SIGPIPE: whoever reads our words has ended; what is found is kept.
  Before before_[4]{{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGPIPE, {}}};
};

} // namespace pbc::tuner
