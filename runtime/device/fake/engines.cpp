// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/fake/engines.h"

#include <algorithm>
#include <utility>

namespace pb::device {
namespace {

using Clock = std::chrono::steady_clock;

unsigned long nanoseconds(Clock::time_point t) {
  return static_cast<unsigned long>(std::chrono::nanoseconds(t.time_since_epoch()).count());
}

} // namespace

DeviceError fakeLost() { return {Failure::Lost, "the fake device is lost, as was asked for"}; }

bool FakeCommand::isDone() {
  ++shared->polls;
  std::lock_guard lock(shared->mutex);
  if (problem)
    std::rethrow_exception(problem);
  return ended;
}

Span FakeCommand::span() const {
  std::lock_guard lock(shared->mutex);
  return ran;
}

Engines::Engines() {
  for (const Engine engine : {kCopies, kKernels})
    thread_[engine] = std::thread([this, engine] { run(engine); });
}

Engines::~Engines() {
  {
    std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
  }
  shared_->changed.notify_all();
  for (std::thread &thread : thread_)
    thread.join();
}

void Engines::give(Engine engine, FakeCommandRef command) {
  std::lock_guard lock(shared_->mutex);
  queue_[engine].push_back(std::move(command));
}

void Engines::flush() {
  {
    std::lock_guard lock(shared_->mutex);
    for (auto &queue : queue_)
      for (auto command = queue.rbegin(); command != queue.rend() && !(*command)->flushed; ++command)
        (*command)->flushed = true;
  }
  shared_->changed.notify_all();
}

void Engines::run(Engine engine) {
  std::unique_lock lock(shared_->mutex);
  std::deque<FakeCommandRef> &queue = queue_[engine];
  const auto mayBegin = [&] {
    return !queue.empty() && queue.front()->flushed &&
           std::all_of(queue.front()->waits.begin(), queue.front()->waits.end(),
                       [](const FakeCommandRef &c) { return c->ended; });
  };
  for (;;) {
    shared_->changed.wait(lock, [&] { return shared_->stopped || mayBegin(); });
    if (shared_->stopped && queue.empty())
      return;
    const FakeCommandRef command = queue.front();
    for (const FakeCommandRef &before : command->waits)
      if (before->problem)
        command->problem = before->problem;
    if (shared_->stopped && !command->problem)
      command->problem = std::make_exception_ptr(
          DeviceError(Failure::Lost, "the fake device was closed before this command began"));
    if (!command->problem)
      carryOut(*command, lock);
    queue.pop_front();
    command->ended = true;
    command->waits.clear(); // otherwise each command would keep all before it alive
    auto done = std::exchange(command->work, nullptr);
    const auto calls = std::exchange(command->calls, {});
    lock.unlock(); // releases memory that it kept, which takes the mutex
    done = nullptr;
    for (const auto &call : calls)
      call();
    shared_->changed.notify_all();
    lock.lock();
  }
}

void Engines::carryOut(FakeCommand &command, std::unique_lock<std::mutex> &lock) {
  if (command.hangs) {
    shared_->changed.wait(lock, [&] { return shared_->stopped || shared_->released; });
    if (!shared_->released) {
      command.problem = std::make_exception_ptr(fakeLost());
      return;
    }
  }
  if (command.loses)
    shared_->lost = true;
  if (command.loses) {
    command.problem = std::make_exception_ptr(fakeLost());
    return;
  }
  const Clock::time_point begin = Clock::now();
  lock.unlock();
  std::exception_ptr problem;
  try {
    command.work();
  } catch (...) {
    problem = std::current_exception();
  }
  const std::chrono::duration<double> took = Clock::now() - begin;
  const auto end = begin + std::chrono::duration_cast<Clock::duration>(
                               took * command.slower + std::chrono::duration<double>(command.seconds));
  lock.lock();
  if (end > Clock::now())
    shared_->changed.wait_until(lock, end, [&] { return shared_->stopped; });
  command.problem = problem;
  if (command.isTimed)
    command.ran = {nanoseconds(begin), nanoseconds(Clock::now())};
}

} // namespace pb::device
