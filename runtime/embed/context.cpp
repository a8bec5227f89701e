// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/embed/context.h"
#include "runtime/base/errors.h"
#include "runtime/embed/big_stack.h"
#include "runtime/embed/configure.h"
#include "runtime/embed/refusal.h"
#include "runtime/matrix/memo.h"
#include "runtime/program/devices.h"
#include "runtime/program/runner.h"
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <new>
#include <system_error>

namespace pb::embed {
namespace {

std::atomic<unsigned long> contexts = 0;

/// The message of the calling thread's last call that failed.
struct Said {
  unsigned long context = 0;
  std::string text;
};
thread_local Said said;

int statusOf(base::FailureNote::Kind kind) {
  switch (kind) {
  case base::FailureNote::RecursionTooDeep:
    return PBC_ERROR_RECURSION;
  case base::FailureNote::OutOfMemory:
    return PBC_ERROR_MEMORY;
  case base::FailureNote::Inaccurate:
    return PBC_ERROR_ACCURACY;
  case base::FailureNote::None:
  case base::FailureNote::Failed:
    break;
  }
  return PBC_ERROR_RULE;
}

char *memoryFor(const Library &library) {
  constexpr std::size_t kLine = 64;
  const auto bytes = static_cast<std::size_t>(library.slotsEnd - library.slots);
  // The copy has the alignment of the section, which is that of its widest type or of a cache line.
  void *memory = std::aligned_alloc(kLine, (bytes / kLine + 1) * kLine);
  if (!memory)
    throw std::bad_alloc();
  return static_cast<char *>(memory);
}

} // namespace
} // namespace pb::embed

using namespace pb;

void pbc_context::Free::operator()(char *p) const { std::free(p); }

pbc_context::pbc_context(const Library &l)
    : library(&l), number_(++embed::contexts), program_(l.versions), slots_(embed::memoryFor(l)) {
  execution_.slotShift = static_cast<long>(reinterpret_cast<std::uintptr_t>(slots_.get()) -
                                           reinterpret_cast<std::uintptr_t>(l.slots));
  execution_.owner = this;
}

pbc_context::~pbc_context() {
  scheduler_.reset();
  if (devices_)
    program::sayCounters(*devices_, [this](const std::string &what) { say(what); });
  devices_.reset();
  matrix::dropCalls(execution_);
}

void pbc_context::configure(const pbc_options &options) {
  const embed::Inside inside(*this);
  if (options.threads < 0 || options.threads > config::kMaxThreads)
    throw embed::Refusal(PBC_ERROR_ARGUMENT, "a context has 1 to " + std::to_string(config::kMaxThreads) +
                                                 " threads, not " + std::to_string(options.threads) +
                                                 "; 0 stands for as many as the configuration says");
  say_ = options.say;
  user_ = options.user;
  execution_.random = &random_.emplace(options.seed ? options.seed : 1);
  const embed::Configured configured = embed::configure(*library, options, slots_.get());
  program_ = configured.program;
  execution_.threads = program::threadCount(options.threads > 0 ? options.threads : configured.threads);
  placesSteps_ = configured.placesSteps;
  if (placesSteps_ || options.devices) // for arrays, devices have to be named
    devices_ = program::openSession(options.devices ? options.devices : program::deviceNames(),
                                    {.say = [this](const std::string &what) { say(what); }}, placesSteps_);
}

const char *pbc_context::configuration() {
  std::string text = embed::describe(*library, *program_, slots_.get());
  const std::lock_guard guard(mutex_);
  configuration_ = std::move(text);
  return configuration_.c_str();
}

task::Scheduler &pbc_context::scheduler() {
  if (task::Scheduler *const running = running_.load(std::memory_order_acquire)) [[likely]]
    return *running;
  const std::lock_guard guard(mutex_);
  if (!scheduler_) {
    scheduler_ = std::make_unique<task::Scheduler>(
        execution_.threads, embed::hasBigStack() ? task::Caller::Works : task::Caller::Waits, &execution_);
    scheduler_->setDevices(devices_.get());
  }
  running_.store(scheduler_.get(), std::memory_order_release);
  return *scheduler_;
}

/// Without memory for it, the message is lost, and the status remains.
void pbc_context::keep(const std::string &message) noexcept {
  try {
    embed::said = {number_, message};
    const std::lock_guard guard(mutex_);
    lastMessage_ = message;
  } catch (const std::bad_alloc &) {
    embed::said.context = 0;
  }
}

/// Of the exception that is being handled.
int pbc_context::failed() {
  try {
    throw;
  } catch (const embed::Refusal &e) {
    keep(e.what());
    return e.status;
  } catch (const base::Failure &e) {
    keep(e.what());
    return embed::statusOf(e.kind);
  } catch (const std::bad_alloc &) {
    keep("not enough memory");
    return PBC_ERROR_MEMORY;
  } catch (const std::system_error &e) {
    keep(e.what());
    return PBC_ERROR_MEMORY;
  } catch (const std::exception &e) {
    keep(std::string("a rule threw an exception: ") + e.what());
    return PBC_ERROR_RULE;
  } catch (const abi::__forced_unwind &) { // the thread is being cancelled
    throw;
  } catch (...) {
    keep("a rule threw an exception of an unknown type");
    return PBC_ERROR_RULE;
  }
}

const char *pbc_context::message() {
  if (embed::said.context != number_) {
    const std::lock_guard guard(mutex_);
    embed::said = {number_, lastMessage_};
  }
  return embed::said.text.c_str();
}

void pbc_context::say(const std::string &text) const {
  if (say_)
    say_(user_, text.c_str());
}
