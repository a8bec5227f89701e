#include "tuner/evaluate/interrupt.h"

namespace pbc::tuner {
namespace {

volatile std::sig_atomic_t requested = 0; // the signal
int heard = 0;

extern "C" void noteRequest(int signal) { requested = signal; }

} // namespace

bool stopRequested() { return requested != 0 && heard == 0; }

int stopSignal() { return requested; }

StopHeard::StopHeard() { ++heard; }

StopHeard::~StopHeard() { --heard; }

InterruptGuard::InterruptGuard() {
  requested = 0;
  struct sigaction action{};
  action.sa_handler = noteRequest;
  action.sa_flags = SA_RESETHAND; // the second time the default action
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  sigaction(SIGHUP, &action, &hangUp_); // the terminal was closed
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGHUP, &hangUp_, nullptr);
  requested = 0;
}

} // namespace pbc::tuner
