// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What happens when a device is lost or does not answer any more.
#include "runtime/device/management.h"
#include <algorithm>
#include <utility>

namespace pb::device {
namespace {

/// Keeps what a driver that hangs may still be using; never destroyed.
template <class T>
void leak(T value) {
  static auto *const all = new std::pair<std::mutex, std::deque<T>>;
  std::lock_guard hold(all->first);
  all->second.push_back(std::move(value));
}

std::string seconds(std::chrono::milliseconds time) {
  const std::string text = std::to_string(static_cast<double>(time.count()) / 1000);
  return text.substr(0, text.find_last_not_of('0') + 1 + text.ends_with(".000000"));
}

/// The pause between two checks whether commands of a lost device have ended.
constexpr std::chrono::microseconds kPause{50};

} // namespace

void Management::leakMyself() { leak(shared_from_this()); }

std::vector<std::shared_ptr<Request>> Management::beginLoss(const DeviceError &why) {
  std::lock_guard hold(mutex_);
  if (!lost_)
    lost_ = DeviceError(Failure::Lost, about_.name + " is lost, and what only it had: " + why.what());
  isLost_.store(true, std::memory_order_release);
  std::vector<std::shared_ptr<Request>> waiting(pending_.begin(), pending_.end());
  pending_.clear();
  for (TaskPointer &t : incoming_)
    queue_.push_back(std::move(t));
  incoming_.clear();
  return waiting;
}

bool Management::isOver(const EventRef &event, bool *failed) {
  try {
    return call([&] { return event->isDone(); });
  } catch (const Abandoned &) {
    throw;
  } catch (const std::exception &) {
    if (failed)
      *failed = true;
    return true;
  }
}

/// False: some commands may still use memory.
bool Management::dropAll() {
  for (auto *tasks : {&held_, &queue_})
    std::erase_if(*tasks, [&](const TaskPointer &t) { return t->drop(*this); });
  std::erase_if(copyingIn_, [&](const CopyingIn &c) {
    if (!std::all_of(c.events.begin(), c.events.end(), [&](const EventRef &e) { return isOver(e); }))
      return false;
    c.record->cancelled(c.flight);
    return true;
  });
  return held_.empty() && queue_.empty() && copyingIn_.empty();
}

void Management::leakAll() {
  leak(std::exchange(held_, {}));
  leak(std::exchange(queue_, {}));
  leak(std::exchange(copyingIn_, {}));
  leak(std::exchange(launched_, {}));
  for (const auto &record : table_.records())
    if (auto buffer = record->abandon(index()))
      leak(std::move(buffer));
}

void Management::giveUpBuffer(Record &record) {
  if (auto buffer = record.giveUpBuffer(index()))
    leak(std::move(buffer));
}

void Management::lose(const DeviceError &why) {
  const auto waiting = beginLoss(why);
  try {
    call([&] { device_->flush(); }); // if the device was abandoned by the runtime, its commands still end
  } catch (const DeviceError &) {
    // This is expected.
  }
  const auto end = std::chrono::steady_clock::now() + options_.commandLimit;
  bool isOver = dropAll();
  for (; !isOver && std::chrono::steady_clock::now() < end; isOver = dropAll())
    std::this_thread::sleep_for(kPause);
  if (!isOver)
    leakAll();
  launched_.clear();
  freeBuffers();
  for (const auto &r : waiting)
    r->finish(lostError());
}

/// Prints why the program seems to do nothing, and for how long.
void Management::sayWaiting() {
  hasSaidWaiting_ = true;
  const auto task = std::find_if(queue_.begin(), queue_.end(), [](const auto &t) { return t->isOfDevice; });
  const auto copyFor = [](const char *name) { // a copy that only a reader asked for has no name
    return *name ? std::string("a copy for ") + name : "a copy of results";
  };
  const std::string what = !launched_.empty()    ? std::string("the kernel ") + launched_.front().name
                           : !copyingIn_.empty() ? copyFor(copyingIn_.front().name)
                                                 : copyFor((*task)->detail);
  if (options_.say)
    options_.say("still waiting for " + what + " on " + about_.name + "; if nothing has ended there after " +
                 seconds(options_.commandLimit) +
                 " seconds, the program goes on without it (PB_DEVICE_TIMEOUT=SECONDS: it is given twenty "
                 "times SECONDS)");
}

/// Commands do not end, so the device may access their memory at any time.
void Management::loseHanging() {
  const auto waiting = beginLoss(
      DeviceError(Failure::Lost, "none of its commands has ended for " + seconds(options_.commandLimit) +
                                     " seconds; PB_DEVICE_TIMEOUT=SECONDS gives them twenty times SECONDS"));
  pageLocks_.abandon();
  leakAll();
  for (const auto &r : waiting)
    r->finish(lostError());
}

void Management::watch() {
  const auto tick = std::max<std::chrono::milliseconds>(options_.limit / 4, std::chrono::milliseconds(1));
  std::unique_lock hold(mutex_);
  while (!watchUp_.wait_for(hold, tick, [&] { return hasEnded_; })) {
    long began = call_.load(std::memory_order_acquire);
    const long limit = static_cast<long>(std::chrono::nanoseconds(options_.limit).count());
    if (began <= 0 || static_cast<long>(Trace::now()) - began < limit)
      continue;
    if (call_.compare_exchange_strong(began, kAbandoned, std::memory_order_acq_rel)) {
      hold.unlock();
      giveUp();
      return;
    }
  }
}

/// The management thread is inside the driver and will not touch the runtime's data again.
void Management::giveUp() {
  const auto waiting =
      beginLoss(DeviceError(Failure::Lost, "its driver has not answered for " + seconds(options_.limit) +
                                               " seconds; PB_DEVICE_TIMEOUT=SECONDS gives it more time"));
  pageLocks_.abandon();
  for (const auto &record : table_.records())
    if (auto buffer = record->abandon(index()))
      leak(std::move(buffer));
  table_.estate(index()).setWake({});
  for (DeadBuffer &dead : table_.estate(index()).take())
    leak(std::move(dead.buffer));
  for (const auto &r : waiting)
    r->finish(lostError());
  std::lock_guard hold(mutex_);
  isAbandoned_ = true;
  end_.notify_all();
}

} // namespace pb::device
