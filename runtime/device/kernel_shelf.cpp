// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/kernel_shelf.h"
#include "runtime/abi/device.h"
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

namespace pb::device {

struct KernelShelf::Entry {
  KernelSource source;
  std::mutex mutex;
  std::condition_variable changed;
  bool isDone = false;
  std::atomic<bool> isReported = false; // to the watcher of builds
  Built built;
  std::vector<std::shared_ptr<Request>> waiters;

  void finish(Built result) {
    std::vector<std::shared_ptr<Request>> all;
    {
      std::lock_guard hold(mutex);
      if (isDone)
        return;
      built = std::move(result);
      isDone = true;
      all.swap(waiters);
      changed.notify_all();
    }
    for (const auto &r : all)
      r->finish();
  }
};

/// Runs one build after the other, each on a thread that can be abandoned. Shared with these threads.
struct KernelShelf::Builder {
  Device &device;
  const std::chrono::duration<double> limit;
  const WatchBuild watch;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Entry>> queue;
  bool stops = false;
  std::thread thread;

  Builder(Device &d, double seconds, WatchBuild w) : device(d), limit(seconds), watch(std::move(w)) {}

  void loop() {
    for (;;) {
      std::shared_ptr<Entry> next;
      {
        std::unique_lock hold(mutex);
        changed.wait(hold, [&] { return stops || !queue.empty(); });
        if (stops)
          return;
        next = queue.front();
        queue.pop_front();
      }
      if (watch)
        watch(next->source.entry, true);
      std::thread([&device = device, watch = watch, next] {
        end(*next, watch, build(device, next->source));
      }).detach();
      std::unique_lock hold(next->mutex);
      const bool isDone = next->changed.wait_for(hold, limit, [&] { return next->isDone; });
      hold.unlock();
      if (!isDone)
        end(*next, watch, {nullptr, "the driver's compiler takes too long"});
    }
  }

  /// The watcher is told of the end once, and before the coroutines that wait for the kernel.
  static void end(Entry &entry, const WatchBuild &watch, Built built) {
    if (watch && !entry.isReported.exchange(true))
      watch(entry.source.entry, false);
    entry.finish(std::move(built));
  }

  static Built build(Device &device, const KernelSource &source) {
    try {
      return {device.build(source), ""};
    } catch (const DeviceError &e) {
      return {nullptr, e.what(), e.failure() == Failure::Lost};
    } catch (const std::exception &e) {
      return {nullptr, e.what()};
    }
  }
};

KernelShelf::KernelShelf(Device &device, double limitSeconds, WatchBuild watch)
    : builder_(std::make_shared<Builder>(device, limitSeconds, std::move(watch))) {
  builder_->thread = std::thread([b = builder_.get()] { b->loop(); });
}

KernelShelf::~KernelShelf() {
  {
    std::lock_guard hold(builder_->mutex);
    builder_->stops = true;
    builder_->changed.notify_all();
  }
  builder_->thread.join();
  for (const auto &entry : builder_->queue)
    entry->finish({nullptr, "the program ends"});
}

KernelShelf::Awaiter KernelShelf::get(const DeviceKernel &kernel, const int group[3], const int cells[2],
                                      KernelForm form) {
  const Key key{&kernel, group[0], group[1], group[2], cells[0], cells[1], form};
  std::lock_guard hold(mutex_);
  std::shared_ptr<Entry> &entry = entries_[key];
  if (!entry) {
    entry = std::make_shared<Entry>();
    std::string text = macrosOf(form);
    for (int d = 0; (kernel.hasCells || kernel.teams) && d < 2; ++d)
      text += "#define PB_C" + std::to_string(d) + " " + std::to_string(cells[d]) + "\n";
    entry->source = {text + kernel.source, kernel.entry, {group[0], group[1], group[2]}, kernel.isLibrary};
    if (kernel.isLibrary)
      entry->source.text = kernel.source;
    std::lock_guard holdQueue(builder_->mutex);
    builder_->queue.push_back(entry);
    builder_->changed.notify_one();
  }
  return {entry, {}};
}

bool KernelShelf::Awaiter::await_ready() const {
  std::lock_guard hold(entry->mutex);
  return entry->isDone;
}

void KernelShelf::Awaiter::await_suspend(std::coroutine_handle<> caller) {
  request = std::make_shared<Request>();
  request->resumeOn(*task::Scheduler::current(), caller);
  // This awaiter may be destroyed once the caller is resumed.
  const std::shared_ptr<Entry> kept = entry;
  const std::shared_ptr<Request> mine = request;
  {
    std::lock_guard hold(kept->mutex);
    if (!kept->isDone) {
      kept->waiters.push_back(mine);
      return;
    }
  }
  mine->finish();
}

KernelShelf::Built KernelShelf::Awaiter::await_resume() const {
  std::lock_guard hold(entry->mutex);
  return entry->built;
}

} // namespace pb::device
