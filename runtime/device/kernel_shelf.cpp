// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/kernel_shelf.h"
#include "runtime/abi/device.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <sstream>
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

/// Runs as many builds at a time as there are processors, each on a thread that can be abandoned. Shared with
/// these threads.
struct KernelShelf::Builder : std::enable_shared_from_this<Builder> {
  Device &device;
  const std::chrono::duration<double> limit;
  const WatchBuild watch;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::shared_ptr<Entry>> queue;
  bool stops = false;
  const std::size_t most;
  std::vector<std::thread> threads; // each looks after one build at a time
  std::size_t idle = 0;             // threads without a build
  std::mutex watchMutex;            // the watcher is called by one thread at a time

  const std::function<void(const std::string &)> say;
  std::once_flag hasSaid;

  Builder(Device &d, double seconds, WatchBuild w, int together, std::function<void(const std::string &)> s)
      : device(d), limit(seconds), watch(std::move(w)), most(static_cast<std::size_t>(std::max(1, together))),
        say(std::move(s)) {}

  void add(std::shared_ptr<Entry> entry) {
    std::lock_guard hold(mutex);
    queue.push_back(std::move(entry));
    if (idle < queue.size() && threads.size() < most)
      threads.emplace_back([this] { loop(); });
    changed.notify_one();
  }

  void loop() {
    for (;;) {
      std::shared_ptr<Entry> next;
      {
        std::unique_lock hold(mutex);
        ++idle;
        changed.wait(hold, [&] { return stops || !queue.empty(); });
        --idle;
        if (stops)
          return;
        next = queue.front();
        queue.pop_front();
      }
      if (watch) {
        std::lock_guard hold(watchMutex);
        watch(next->source.entry, true);
      }
      std::thread([self = shared_from_this(), next] {
        self->end(*next, build(self->device, next->source));
      }).detach();
      std::unique_lock hold(next->mutex);
      const auto ends = std::chrono::steady_clock::now() + limit;
      bool isDone = next->changed.wait_for(hold, limit / 10, [&] { return next->isDone; });
      if (!isDone && say) {
        hold.unlock();
        std::call_once(hasSaid, [&] { say(waiting(next->source.entry)); });
        hold.lock();
      }
      isDone = next->changed.wait_until(hold, ends, [&] { return next->isDone; });
      hold.unlock();
      if (!isDone)
        end(*next,
            {nullptr,
             "the driver's compiler takes too long (PB_DEVICE_TIMEOUT=SECONDS gives it ten times SECONDS)"});
    }
  }

  /// The watcher is told of the end once, and before the coroutines that wait for the kernel.
  void end(Entry &entry, Built built) {
    if (watch && !entry.isReported.exchange(true)) {
      std::lock_guard hold(watchMutex);
      watch(entry.source.entry, false);
    }
    entry.finish(std::move(built));
  }

  std::string waiting(const std::string &kernel) const {
    std::ostringstream out;
    out << "the driver of " << device.about().name << " is still compiling the kernel " << kernel
        << "; if it has not ended after " << limit.count()
        << " seconds, the program goes on without the kernel (PB_DEVICE_TIMEOUT=SECONDS: it is given ten "
           "times SECONDS)";
    return out.str();
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

KernelShelf::KernelShelf(Device &device, double limitSeconds, WatchBuild watch, int together,
                         std::function<void(const std::string &)> say)
    : builder_(std::make_shared<Builder>(device, limitSeconds, std::move(watch), together, std::move(say))) {}

int KernelShelf::processors() { return static_cast<int>(std::thread::hardware_concurrency()); }

KernelShelf::~KernelShelf() {
  {
    std::lock_guard hold(builder_->mutex);
    builder_->stops = true;
    builder_->changed.notify_all();
  }
  for (std::thread &thread : builder_->threads)
    thread.join();
  for (const auto &entry : builder_->queue)
    entry->finish({nullptr, "the program ends"});
}

void KernelShelf::use(const DeviceKernel &kernel, const std::vector<long> &sizes) {
  if (sizes.empty())
    return;
  std::list<std::vector<long>> &all = sizes_[&kernel];
  const auto at = std::find(all.begin(), all.end(), sizes);
  if (at != all.end()) {
    all.splice(all.begin(), all, at);
    return;
  }
  all.push_front(sizes);
  if (all.size() <= kMostSizes)
    return;
  const std::vector<long> oldest = all.back();
  all.pop_back();
  // A launch that still has one of these kernels keeps it.
  std::erase_if(entries_, [&](const auto &one) {
    if (std::get<0>(one.first) != &kernel || std::get<1>(one.first) != oldest)
      return false;
    std::erase_if(texts_, [&](const auto &text) { return text.second == one.second; });
    return true;
  });
}

KernelShelf::Awaiter KernelShelf::get(const DeviceKernel &kernel, const int group[3], const int cells[3],
                                      KernelForm form, const std::vector<long> &sizes) {
  const Key key{&kernel, sizes, group[0], group[1], group[2], cells[0], cells[1], cells[2], form};
  std::lock_guard hold(mutex_);
  use(kernel, sizes);
  std::shared_ptr<Entry> &entry = entries_[key];
  if (!entry) {
    std::string text = macrosOf(form);
    const int axes = kernel.hasPlanes ? 3 : kernel.hasCells || kernel.teams ? 2 : 0;
    for (int d = 0; d < axes; ++d)
      text += "#define PB_C" + std::to_string(d) + " " + std::to_string(cells[d]) + "\n";
    for (std::size_t s = 0; s < sizes.size(); ++s)
      text += "#define PB_V" + std::to_string(kernel.sizes[s].value) + " " + std::to_string(sizes[s]) + "\n";
    text = kernel.isLibrary ? kernel.source : text + kernel.source;
    const long local = kernel.localBytes ? kernel.localBytes(group, cells, sizes.data()) : 0;
    const bool mustAsk = local > static_cast<long>(builder_->device.about().localBytes);
    std::shared_ptr<Entry> &same =
        texts_[{text, kernel.entry, group[0], group[1], group[2], kernel.isLibrary}];
    if (!same) {
      same = std::make_shared<Entry>();
      same->source = {
          text, kernel.entry, {group[0], group[1], group[2]}, kernel.isLibrary, mustAsk ? local : 0};
      builder_->add(same);
    }
    entry = same;
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
