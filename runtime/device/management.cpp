// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/management.h"
#include "runtime/task/spinlock.h"
#include <algorithm>
#include <sys/prctl.h>
#include <utility>

namespace pb::device {
namespace {

/// Number of polls without a pause between them, and the pauses after these polls.
constexpr unsigned long kEagerRests = 16;
constexpr std::chrono::milliseconds kPauseWhenCalled{1};
constexpr long kLongestPause = 50, kLongestPauseUnawaited = 1000; // microseconds

} // namespace

Management::Management(std::unique_ptr<Device> device, Table &table, const Options &options)
    : device_(std::move(device)), pageLocks_(*device_, options.index, options.lockFrom),
      about_(device_->about()), table_(table), options_(options),
      longestChain_(static_cast<long>(device_->longestChain())) {}

void Management::start() {
  table_.estate(index()).setWake([this] { wake(); });
  if (trace())
    device_->timeCommands();
  isCalled_ = device_->callAtEnd([self = weak_from_this()] {
    if (const auto management = self.lock())
      management->wake();
  });
  thread_ = std::thread([self = shared_from_this()] { self->main(); });
  watchdog_ = std::thread([this] { watch(); });
}

bool Management::stop() {
  bool abandoned;
  {
    std::unique_lock hold(mutex_);
    isEnding_ = true;
    wakeUp_.notify_all();
    end_.wait(hold, [&] { return hasEnded_ || isAbandoned_; });
    hasEnded_ = true;
    abandoned = isAbandoned_;
    watchUp_.notify_all();
  }
  watchdog_.join();
  table_.estate(index()).setWake({});
  if (abandoned)
    thread_.detach();
  else
    thread_.join();
  return !abandoned;
}

void Management::add(const std::shared_ptr<Request> &request, std::vector<TaskPointer> tasks) {
  {
    std::lock_guard hold(mutex_);
    if (!lost_) {
      if (request)
        pending_.insert(request);
      for (TaskPointer &t : tasks)
        incoming_.push_back(std::move(t));
      wakeUp_.notify_all();
      return;
    }
  }
  if (request)
    request->finish(lostError());
}

void Management::wake() {
  std::lock_guard hold(mutex_);
  isAwake_ = true;
  wakeUp_.notify_all();
}

DeviceError Management::lostError() const {
  std::lock_guard hold(mutex_);
  return lost_ ? *lost_ : DeviceError(Failure::Lost, about_.name + " is not there");
}

Counters Management::counters() const {
  return {count.launches,     count.items,       count.chains,      count.graphs,
          count.copiesIn,     count.copiesOut,   count.bytesIn,     count.bytesOut,
          count.copiesAcross, count.bytesAcross, count.allocations, count.evictions,
          count.buffers,      count.bytes,       count.resting,     pageLocks_.bytes()};
}

void Management::gaveChain() {
  ++count.chains;
  count.graphs = static_cast<unsigned long>(device_->chains().made);
}

void Management::giveUpChains(const DeviceError &why) {
  longestChain_ = 0;
  if (options_.say)
    options_.say("launches are given to " + about_.name + " one by one: " + why.what());
}

void Management::beginCall() {
  callBegan_ = static_cast<long>(Trace::now());
  call_.store(callBegan_, std::memory_order_release);
}

void Management::endCall() {
  long expected = callBegan_;
  if (!call_.compare_exchange_strong(expected, 0, std::memory_order_acq_rel))
    throw Abandoned{};
}

void Management::main() {
  prctl(PR_SET_TIMERSLACK, 1000UL); // ns; else each of the short pauses takes fifty microseconds more
  if (trace())
    trace()->nameThread("management of " + about_.name);
  try {
    loop();
    shutDown();
  } catch (const Abandoned &) {
    return leakMyself();
  }
  std::lock_guard hold(mutex_);
  hasEnded_ = true;
  end_.notify_all();
}

void Management::loop() {
  for (;;) {
    try {
      takeNew();
      bool progress = poll();
      progress |= runTasks();
      if (needsFlush_) {
        needsFlush_ = false;
        call([&] { device_->flush(); });
      }
      if (progress)
        rests_ = 0;
      else if (isPending() && hasStopped())
        loseHanging();
      else if (!rest() && (isLost() || !copyOutRest()))
        return;
    } catch (const DeviceError &e) {
      lose(e); // an error that is caught here cannot be repaired
    } catch (const std::exception &e) {
      lose(DeviceError(Failure::Lost, about_.name + ": " + e.what()));
    }
  }
}

void Management::takeNew() {
  std::vector<TaskPointer> tasks;
  {
    std::lock_guard hold(mutex_);
    isAwake_ = false;
    tasks.swap(incoming_);
    if (pending_.size() > 2 * static_cast<std::size_t>(options_.ahead))
      std::erase_if(pending_, [](const auto &r) { return r->isFinished(); });
  }
  if (!tasks.empty())
    rests_ = 0;
  for (TaskPointer &t : tasks)
    queue_.push_back(std::move(t));
  freeDead();
}

bool Management::poll() {
  bool progress = false;
  const auto isDone = [&](Event &e) { return call([&] { return e.isDone(); }); };
  for (; !launched_.empty() && isDone(*launched_.front().event); progress = true) {
    if (trace())
      trace()->onDevice(index(), "kernel", launched_.front().name, launched_.front().event->span());
    if (const auto &end = launched_.front().end) {
      end->notBefore(lastLaunchEnd_);
      end->one();
    }
    lastLaunchEnd_ = Trace::now();
    launched_.pop_front();
    ahead_.store(static_cast<long>(launched_.size()), std::memory_order_relaxed);
    lastFreed_ = Trace::now(); // what it has kept
  }
  for (; !copyingIn_.empty(); progress = true) {
    CopyingIn &c = copyingIn_.front();
    for (; c.done < c.events.size() && isDone(*c.events[c.done]); ++c.done)
      if (trace())
        trace()->onDevice(index(), "copy-in", c.name, c.events[c.done]->span());
    if (c.done < c.events.size())
      break;
    const CopyingIn ended = std::move(c);
    copyingIn_.pop_front();
    ended.record->landed(ended.flight);
  }
  return progress;
}

Task::Outcome Management::runOne(TaskPointer &task) {
  const unsigned long begin = trace() ? Trace::now() : 0;
  Task::Outcome outcome;
  try {
    outcome = task->run(*this);
  } catch (const Abandoned &) {
    throw;
  } catch (...) {
    queue_.push_back(std::move(task)); // lose() will drop it
    throw;
  }
  if (trace() && (outcome == Task::Outcome::Done || !task->wasTried))
    trace()->note("manage", task->kind, task->detail, {begin, Trace::now()});
  task->wasTried = true;
  return outcome;
}

bool Management::runTasks() {
  bool progress = false;
  // A task that is running is not in the queues.
  while (!held_.empty()) {
    TaskPointer task = std::move(held_.front());
    held_.pop_front();
    if (runOne(task) == Task::Outcome::Again) {
      held_.push_front(std::move(task));
      break;
    }
    progress = true;
  }
  for (std::size_t n = queue_.size(); n > 0; --n) {
    TaskPointer task = std::move(queue_.front());
    queue_.pop_front();
    if (task->isOrdered && !held_.empty())
      held_.push_back(std::move(task));
    else if (runOne(task) == Task::Outcome::Done)
      progress = true;
    else
      (task->isOrdered ? held_ : queue_).push_back(std::move(task));
  }
  return progress;
}

bool Management::isPending() const {
  return !queue_.empty() || !held_.empty() || !launched_.empty() || !copyingIn_.empty();
}

bool Management::rest() {
  if (isPending()) {
    if (++rests_ < kEagerRests && !isCalled_) {
      for (int i = 0; i < 16; ++i)
        task::pause();
      return true;
    }
    if (isCalled_ || willBeCalled()) { // the kernel that it waits for may run on this very core
      std::unique_lock hold(mutex_);
      wakeUp_.wait_for(hold, kPauseWhenCalled, [&] { return isAwake_ || !incoming_.empty(); });
      return true;
    }
    const bool isAwaited = !queue_.empty() || !held_.empty() || !copyingIn_.empty();
    const long longest = isAwaited ? kLongestPause : kLongestPauseUnawaited;
    const long pause = std::min(longest, static_cast<long>(rests_ - kEagerRests + 1) * 2);
    std::unique_lock hold(mutex_);
    wakeUp_.wait_for(hold, std::chrono::microseconds(pause), [&] { return isAwake_ || !incoming_.empty(); });
    return true;
  }
  calling_.clear(); // events are given back to the device
  std::unique_lock hold(mutex_);
  std::erase_if(pending_, [](const auto &r) { return r->isFinished(); });
  wakeUp_.wait(hold, [&] { return isAwake_ || isEnding_ || !incoming_.empty(); });
  return isAwake_ || !incoming_.empty();
}

/// Whether all that can go on now goes on when some commands are over, and the device calls then.
bool Management::willBeCalled() {
  if (neverCalls_ || !held_.empty())
    return false;
  std::vector<EventRef> awaited; // of each queue the command that ends first
  if (!launched_.empty())
    awaited.push_back(launched_.front().event);
  if (!copyingIn_.empty() && copyingIn_.front().done < copyingIn_.front().events.size())
    awaited.push_back(copyingIn_.front().events[copyingIn_.front().done]);
  bool isFirst = true;
  for (const TaskPointer &task : queue_) {
    EventRef event = task->awaited();
    if (!event)
      return false;
    if (std::exchange(isFirst, false))
      awaited.push_back(std::move(event));
  }
  for (const EventRef &event : awaited) {
    if (std::find(calling_.begin(), calling_.end(), event) != calling_.end())
      continue;
    const bool calls = call([&] {
      return device_->callWhenOver(event->lastCommand(), [self = weak_from_this()] {
        if (const auto management = self.lock())
          management->wake();
      });
    });
    if (!calls)
      return neverCalls_ = true, false;
  }
  calling_ = std::move(awaited);
  return true;
}

/// Whether nothing has ended for so long that nothing will.
bool Management::hasStopped() {
  const bool isCommanded =
      !launched_.empty() || !copyingIn_.empty() ||
      std::any_of(queue_.begin(), queue_.end(), [](const auto &t) { return t->isOfDevice; });
  if (rests_ == 0 || !isCommanded)
    lastProgress_ = Trace::now();
  const auto waited = std::chrono::nanoseconds(Trace::now() - lastProgress_);
  if (waited > options_.limit && !hasSaidWaiting_)
    sayWaiting();
  return waited > options_.commandLimit;
}

bool Management::copyOutRest() {
  bool isBusy = false;
  for (const auto &record : table_.records()) {
    const CopyPlan plan = record->planOut(index(), nullptr, true, false, nullptr);
    if (plan.state == CopyPlan::State::Go)
      copyOut(record, plan, "end");
    isBusy |= plan.state == CopyPlan::State::Go || plan.state == CopyPlan::State::Wait;
  }
  return isBusy;
}

void Management::shutDown() {
  table_.estate(index()).setWake({});
  try {
    freeDead();
    freeBuffers();
  } catch (const DeviceError &) {
    // The event is over in any case.
  }
  calling_.clear();
  call([&] { pageLocks_.stop(); });
  call([&] { device_.reset(); });
}

void Management::freeBuffers() {
  for (const auto &record : table_.records()) {
    const bool isOwn = record->isOwn(index());
    if (auto buffer = record->takeBuffer(index(), false)) {
      if (isOwn)
        free(std::move(buffer), record->bytes());
      else
        call([&] { buffer.reset(); });
    }
  }
  freeResting();
}

} // namespace pb::device
