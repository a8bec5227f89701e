// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/interrupt.h"

#include <atomic>
#include <ctime>
#include <limits>

namespace pbc::tuner {
namespace {

constexpr std::sig_atomic_t kOwnWish = -1;

volatile std::sig_atomic_t requested = 0; // the signal, or the tuner's own request
int heard = 0;
constexpr double kNever = std::numeric_limits<double>::infinity();
double timeLimit = kNever;

std::atomic<long> since = 0; // ms

long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now); // may be called in a handler
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

extern "C" void noteRequest(int signal) {
  constexpr long kOneWish = 1000; // ms
  if (!requested || requested == kOwnWish) {
    since = milliseconds();
    requested = signal;
  } else if (milliseconds() - since > kOneWish) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

} // namespace

bool isInterrupted() { return requested != 0 && heard == 0; }

bool stopRequested() {
  return isInterrupted() ||
         (heard == 0 && timeLimit < kNever && 1e-3 * static_cast<double>(milliseconds()) > timeLimit);
}

TimeLimit::TimeLimit(double steadySeconds) { timeLimit = steadySeconds; }

TimeLimit::~TimeLimit() { timeLimit = kNever; }

void requestStop() {
  if (!requested)
    requested = kOwnWish;
}

int stopSignal() { return requested == kOwnWish ? 0 : requested; }

int stopStatus() { return stopSignal() ? 128 + stopSignal() : 1; }

StopHeard::StopHeard() { ++heard; }

StopHeard::~StopHeard() { --heard; }

InterruptGuard::InterruptGuard() {
  requested = 0;
  struct sigaction action{};
  action.sa_handler = noteRequest;
  sigemptyset(&action.sa_mask);
  for (auto &[signal, before] : before_) {
    sigaction(signal, nullptr, &before);
    action.sa_handler = signal == SIGPIPE ? SIG_IGN : noteRequest;
    if (before.sa_handler != SIG_IGN) // as nohup leaves it
      sigaction(signal, &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  for (const auto &[signal, before] : before_)
    sigaction(signal, &before, nullptr);
  requested = 0;
}

} // namespace pbc::tuner
