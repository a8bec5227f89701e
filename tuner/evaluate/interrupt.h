// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Handles Ctrl-C as a request to stop: the first SIGINT, SIGTERM or SIGHUP asks the tuning to end with what
// it has; one that comes more than a second later ends the process as usual (the workers die with it).
// Signals within that second are part of the same request: a shell, or `timeout`, sends it to the process and
// to its group. Signals that are ignored stay ignored, as with nohup. The tuner itself can also ask to stop
// (requestStop).
//
//   InterruptGuard guard;   TimeLimit limit(begin + 10);   ...   if (stopRequested()) ...
//
// Invariant: the previous handlers are restored when the guard is destroyed. A signal handler can only reach
// a global variable, so this flag is one.
#pragma once
#include <csignal>

namespace pbc::tuner {

/// Whether to stop: because of a signal, requestStop(), or the end of the time (TimeLimit).
bool stopRequested();

/// Whether to stop for another reason than the end of the time.
bool isInterrupted();

/// Asks to stop, as a signal does: for example when the program that is measured no longer exists.
void requestStop();

/// The signal that asked to stop; 0 if there was none.
int stopSignal();

/// The exit status of a command that is stopped without a result, as a shell reports an end by a signal.
int stopStatus();

/// While it lives, a stop is requested from this moment of the steady clock on, so that a budget that is used
/// up ends the running work as Ctrl-C does. Only one may exist at a time.
class TimeLimit {
public:
  explicit TimeLimit(double steadySeconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;
};

/// While it lives, the request to stop counts as handled: the remaining work, a report, runs to its end,
/// including programs that are started for it.
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
  // SIGHUP: the terminal was closed. SIGPIPE: the reader of the output has ended; the result so far is still
  // kept.
  Before before_[4]{{SIGINT, {}}, {SIGTERM, {}}, {SIGHUP, {}}, {SIGPIPE, {}}};
};

} // namespace pbc::tuner
