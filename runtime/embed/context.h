// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A context of a library: the values of all slots, the workers, and what went wrong last.
//
//   pbc_context *c = new pbc_context(library);
//   c->attempt([&] { c->configure(options); });      // PBC_OK, or a status, with a message in the context
//   {
//     const Inside inside(*c);                       // this thread now has the context's slots
//     c->scheduler().run(...);
//   }
//
// Invariants: slots are filled before the first call and never change afterwards; any number of threads may be inside
// one context; a context whose configuration was refused exists only to say so.
#pragma once
#include "runtime/abi/library.h"
#include "runtime/base/random.h"
#include "runtime/device/session.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

struct pbc_context {
  explicit pbc_context(const pb::Library &);
  ~pbc_context();
  pbc_context(const pbc_context &) = delete;
  pbc_context &operator=(const pbc_context &) = delete;

  /// The first member in every version of the runtime, because it tells contexts of other libraries apart.
  const pb::Library *const library;

  const pb::Program &program() const { return *program_; }
  pb::ExecutionContext &execution() { return execution_; }

  /// Chooses the code for this processor and fills the slots. Throws pb::embed::Refusal.
  void configure(const pbc_options &);
  /// The values of the slots as text of a configuration, valid until the next call.
  const char *configuration();
  /// The workers, which start with the first call that needs them.
  pb::task::Scheduler &scheduler();
  /// The devices that steps are placed on, or arrays lie on; null if there are none.
  pb::device::Session *devices() const { return devices_.get(); }
  /// Whether the configuration places steps on devices, and there are some.
  bool placesSteps() const { return placesSteps_ && devices_; }

  /// Does it, and keeps the message of what it throws. Returns PBC_OK or the status that tells why it failed.
  template <class Do>
  int attempt(Do &&what) {
    if (refused_ != PBC_OK) [[unlikely]]
      return refused_;
    try {
      what();
      return PBC_OK;
    } catch (...) {
      return failed();
    }
  }
  /// From now on everything fails with this status and the last message.
  void refuse(int status) { refused_ = status; }

  /// That of the calling thread's last call in this context that failed; else that of any thread's; "" if none did.
  const char *message();
  /// Hands a line to the function of pbc_options::say.
  void say(const std::string &) const;

private:
  int failed();
  void keep(const std::string &message) noexcept;

  struct Free {
    void operator()(char *p) const;
  };

  const unsigned long number_; // no other context of the process has had it
  const pb::Program *program_;
  pb::ExecutionContext execution_;
  std::unique_ptr<char, Free> slots_;
  std::optional<pb::base::RandomStreams> random_;
  void (*say_)(void *, const char *) = nullptr;
  void *user_ = nullptr;
  int refused_ = PBC_OK;
  bool placesSteps_ = false;
  std::atomic<pb::task::Scheduler *> running_ = nullptr;
  std::unique_ptr<pb::device::Session> devices_; // outlives the workers
  std::unique_ptr<pb::task::Scheduler> scheduler_;
  std::mutex mutex_; // of the members below, and of the start of workers
  std::string lastMessage_, configuration_;
};

namespace pb::embed {

/// While it lives, the calling thread has the slots of the context.
class Inside {
public:
  explicit Inside(pbc_context &context) : before_(pb_execution) { pb_execution = &context.execution(); }
  ~Inside() { pb_execution = before_; }
  Inside(const Inside &) = delete;
  Inside &operator=(const Inside &) = delete;

private:
  ExecutionContext *const before_;
};

} // namespace pb::embed
