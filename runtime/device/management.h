// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a Manager, its thread and its watchdog share; internal to this folder.
//
//   management.add(request, tasks);     // any thread; finished with Lost at once if the device is lost
//
// The management thread runs tasks, and no task waits: a task that returns Again goes to the end of the
// queue, or, if it is ordered (part of a launch), stays in place and holds up the ordered tasks behind it.
//
// Invariants: no lock is held while the driver is called. call_ is 0 outside of calls, the time at which a
// call began inside, and kAbandoned after the watchdog gave up on the call. It is changed by
// compare-and-exchange, so that the thread never touches anything again once it was abandoned.
#pragma once
#include "runtime/device/manager.h"
#include "runtime/device/page_locks.h"
#include "runtime/device/record.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>
#include <unordered_set>

namespace pb::device {

class Management;

// The thread sleeps while it only waits for commands: after a few polls it asks the device to call when they
// are over (Device::callWhenOver), or polls now and then if the device cannot.
class Task {
public:
  enum class Outcome { Done, Again };
  Task(const char *kind, const char *detail, bool isOrdered)
      : kind(kind), detail(detail), isOrdered(isOrdered) {}
  virtual ~Task() = default;
  virtual Outcome run(Management &) = 0;
  /// Called instead of run() when the device is lost: releases what the task holds. False: not yet, because
  /// commands of the device may still use it.
  virtual bool drop(Management &) { return true; }
  /// The command for which the task waits, if it waits for nothing else; else null.
  virtual EventRef awaited() const { return nullptr; }

  const char *const kind, *const detail; // for the trace
  const bool isOrdered;
  bool isOfDevice = false; // waits for commands of the device, nothing else
  bool wasTried = false;
};
using TaskPointer = std::unique_ptr<Task>;

/// Thrown if the driver did not return in time, after all requests that were waiting have been failed.
struct Abandoned {};

class Management : public std::enable_shared_from_this<Management> {
public:
  Management(std::unique_ptr<Device> device, Table &table, const Options &options);
  void start();
  /// Ends both threads; false: the management thread hangs.
  bool stop();

  // For any thread.
  void add(const std::shared_ptr<Request> &request, std::vector<TaskPointer> tasks);
  void wake();
  bool isLost() const { return isLost_.load(std::memory_order_acquire); }
  DeviceError lostError() const;
  long ahead() const { return ahead_.load(std::memory_order_relaxed); }
  Counters counters() const;
  Device &device() { return *device_; }
  const Description &about() const { return about_; }
  Table &table() { return table_; }
  int index() const { return options_.index; }

  // For the management thread.
  //
  // Calls the driver; throws Abandoned if that took too long.
  template <class F>
  auto call(F &&f) -> decltype(f()) {
    beginCall();
    try {
      if constexpr (std::is_void_v<decltype(f())>) {
        f();
      } else {
        auto result = f();
        endCall();
        return result;
      }
    } catch (const Abandoned &) {
      throw;
    } catch (...) {
      endCall();
      throw;
    }
    endCall();
  }
  /// Whether this device can copy to the other one.
  bool reaches(const Management &other) const { return device_->reaches(*other.device_); }
  /// Whether the event is done or never will be; throws nothing but Abandoned.
  bool isOver(const EventRef &event, bool *failed = nullptr);
  void later(TaskPointer task) { queue_.push_back(std::move(task)); }
  const Options &options() const { return options_; }
  Trace *trace() const { return options_.trace; }
  unsigned long nextUse() { return ++uses_; }
  bool isFull() const { return static_cast<int>(launched_.size()) >= options_.ahead; }

  // memory.cpp
  //
  // Allocates a buffer. Null: not yet, because something has to be copied out or to end first. Throws
  // OutOfMemory.
  std::unique_ptr<Buffer> allocate(unsigned long bytes, bool &wait);
  enum class Room { Made, Later, None };
  /// What can be done where so many bytes were refused: frees what nobody uses, or evicts a matrix. Later: something has
  /// to be copied out or to end first.
  Room makeRoom(unsigned long bytes);
  /// Gives the record a buffer, unless it has one. False: not yet.
  bool provide(Record &record);
  /// Keeps the buffer for the next request of its size, or frees it.
  void putBack(std::unique_ptr<Buffer> buffer, unsigned long bytes);
  void freeDead();

  // copies.cpp
  //
  // Carries out a plan whose state is Go. `name`: for the trace.
  void copyIn(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name);
  void copyOut(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name,
               const std::shared_ptr<LaunchEnd> &end = {});

  // across.cpp
  //
  /// Begins copies to a buffer of another device; returns their events. If one is refused, those before it are under way.
  std::vector<EventRef> copyAcross(Record &record, const CopyPlan &plan, Management &to,
                                   std::optional<DeviceError> &refused);

  /// Gives up this device's buffer of a storage, into which a lost device may still write.
  void giveUpBuffer(Record &record);

  void launched(EventRef event, const Launch &launch) {
    if (launch.end)
      launch.end->expect();
    launched_.push_back({std::move(event), launch.name, launch.end});
    ++launches_;
    ahead_.store(static_cast<long>(launched_.size()), std::memory_order_relaxed);
  }
  /// How many launches may be given as one command; 0: only one by one.
  long longestChain() const { return longestChain_; }
  void gaveChain();
  /// From now on this device gets its launches one by one; says so.
  void giveUpChains(const DeviceError &why);
  /// Records a kernel that uses memory which it shares with the processor.
  void sharedUse(const std::shared_ptr<Record> &record, std::shared_ptr<Flight> flight,
                 const EventRef &event);
  void needsFlush() { needsFlush_ = true; }

  struct Count {
    std::atomic<unsigned long> launches = 0, items = 0, chains = 0, graphs = 0, copiesIn = 0, copiesOut = 0,
                               bytesIn = 0, bytesOut = 0, allocations = 0, evictions = 0, buffers = 0,
                               bytes = 0, resting = 0, copiesAcross = 0, bytesAcross = 0;
  } count;

private:
  static constexpr long kAbandoned = -1;
  struct Launched {
    EventRef event;
    const char *name;
    std::shared_ptr<LaunchEnd> end;
  };
  struct CopyingIn {
    std::shared_ptr<Record> record;
    std::shared_ptr<Flight> flight;
    std::vector<EventRef> events;
    const char *name;
    std::size_t done = 0;
  };

  struct Resting {
    std::unique_ptr<Buffer> buffer;
    unsigned long since; // the number of launches before it came to rest
  };

  void beginCall();
  void endCall();
  void main();
  void loop();
  void takeNew();
  bool poll();
  bool runTasks();
  Task::Outcome runOne(TaskPointer &task);
  bool isPending() const;
  bool rest();
  bool willBeCalled();
  bool hasStopped();
  void sayWaiting();
  bool copyOutRest();
  void shutDown();
  void lose(const DeviceError &why);
  void loseHanging();
  bool dropAll();
  void leakAll();
  /// Leaks this object and all that is in it, because the driver may be using it.
  void leakMyself();
  std::vector<std::shared_ptr<Request>> beginLoss(const DeviceError &why);
  void freeBuffers();
  void watch();
  void giveUp();
  bool evictOne(bool &wait);
  /// Frees dead and resting buffers; returns whether there were any.
  bool freeUnused();
  void freeResting();
  void free(std::unique_ptr<Buffer> buffer, unsigned long bytes);
  void countResting() { count.resting = restingBytes_ + (device_ ? device_->keptBytes() : 0); }

  std::unique_ptr<Device> device_;
  PageLocks pageLocks_;
  const Description about_;
  Table &table_;
  const Options options_;
  std::thread thread_, watchdog_;
  std::atomic<long> call_ = 0;
  std::atomic<bool> isLost_ = false;
  std::atomic<long> ahead_ = 0; // the size of launched_

  mutable std::mutex mutex_; // guards the members up to the next comment
  std::condition_variable wakeUp_, watchUp_, end_;
  std::vector<TaskPointer> incoming_;
  std::unordered_set<std::shared_ptr<Request>> pending_;
  std::optional<DeviceError> lost_;
  bool isAwake_ = false, isEnding_ = false, hasEnded_ = false, isAbandoned_ = false;

  // Only used by the management thread.
  std::deque<TaskPointer> queue_, held_;
  std::deque<Launched> launched_;
  std::deque<CopyingIn> copyingIn_;
  std::multimap<unsigned long, Resting> resting_; // by size, the oldest first
  unsigned long restingBytes_ = 0, launches_ = 0, uses_ = 0, rests_ = 0;
  long callBegan_ = 0;
  unsigned long lastProgress_ = 0, lastFreed_ = 0, lastLaunchEnd_ = 1; // times
  long longestChain_ = 0;
  std::vector<EventRef> calling_; // when they are over, the device calls
  bool neverCalls_ = false;
  bool isCalled_ = false; // the device calls when commands end
  bool needsFlush_ = false, hasSaidWaiting_ = false;
};

} // namespace pb::device
