// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two threads of a fake device: one copies, one runs kernels, each in order, as real devices do.
//
//   Engines engines;
//   auto command = std::make_shared<FakeCommand>(engines.shared());
//   command->work = [...] { memcpy(...); };
//   command->seconds = 50e-6;
//   command->waits = {earlier};
//   engines.give(kCopies, command);
//   engines.flush();                          // commands do not begin before this, as OpenCL allows
//   while (!command->isDone()) ...
//
// Invariants: a command begins when those before it on its engine and those that it waits for have ended, and
// ends no sooner than `seconds` after it began. When a command fails, those that wait for it fail in the same
// way. Commands that have not begun when the engines are destroyed are lost.
#pragma once
#include "runtime/device/device.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace pb::device {

enum Engine { kCopies, kKernels, kEngines };

/// What commands and buffers share with their device; lives as long as any of them.
struct FakeShared {
  std::mutex mutex;
  std::condition_variable changed;
  bool lost = false, stopped = false, released = false;
  std::atomic<long> commands = 0; // that exist
  std::atomic<long> polls = 0;    // of events
};

struct FakeCommand : Event {
  explicit FakeCommand(std::shared_ptr<FakeShared> device) : shared(std::move(device)) { ++shared->commands; }
  FakeCommand(const FakeCommand &) = delete;
  FakeCommand &operator=(const FakeCommand &) = delete;
  ~FakeCommand() override { --shared->commands; }
  bool isDone() override;
  Span span() const override;

  const std::shared_ptr<FakeShared> shared;
  std::function<void()> work;
  double seconds = 0; // the shortest time that it takes
  double slower = 1;  // factor on the time that the work takes
  std::vector<std::shared_ptr<FakeCommand>> waits;
  bool loses = false, hangs = false, isTimed = false;

  // Guarded by the device's mutex.
  bool flushed = false, ended = false;
  std::vector<std::function<void()>> calls; // when it ends
  std::exception_ptr problem;
  Span ran;
};
using FakeCommandRef = std::shared_ptr<FakeCommand>;

class Engines {
public:
  Engines();
  ~Engines();
  const std::shared_ptr<FakeShared> &shared() const { return shared_; }
  void give(Engine, FakeCommandRef);
  void flush();

private:
  void run(Engine);
  void carryOut(FakeCommand &, std::unique_lock<std::mutex> &);

  std::shared_ptr<FakeShared> shared_ = std::make_shared<FakeShared>();
  std::deque<FakeCommandRef> queue_[kEngines];
  std::thread thread_[kEngines];
};

/// The error that a lost device throws.
DeviceError fakeLost();

} // namespace pb::device
