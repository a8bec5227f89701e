// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a Manager, its thread and its watchdog share; internal to the room.
//
//   management.add(request, tasks);     // any thread; finished with Lost at once if the device is
//
// A task is run by the management thread and never waits: Again puts it at the end of the queue, or, if it is
// ordered (part of a launch), where it holds up the ordered ones behind it.
// Invariants: no lock is held while the driver is called. call_ is 0 outside of calls, the time at which a
// call began inside, kAbandoned from when the watchdog gave up on it: changed by compare-and-exchange, so
// that the thread never touches anything again once it was given up.
#pragma once
#include "runtime/device/manager.h"
#include "runtime/device/record.h"
#include <condition_variable>
#include <deque>
#include <map>
#include <thread>
#include <unordered_set>

namespace pb::device {

class Management;

class Task {
public:
  enum class Outcome { Done, Again };
  Task(const char *kind, const char *detail, bool isOrdered)
      : kind(kind), detail(detail), isOrdered(isOrdered) {}
  virtual ~Task() = default;
  virtual Outcome run(Management &) = 0;
  /// Instead of run() when the device is lost: gives back what it holds. False: not yet, because commands of
  /// the device may still use it.
  virtual bool drop(Management &) { return true; }

  const char *const kind, *const detail; // for the trace
  const bool isOrdered;
  bool isOfDevice = false; // waits for commands, nothing else
  bool wasTried = false;
};
using TaskPointer = std::unique_ptr<Task>;

/// The driver did not return in time, and what was waiting was told so.
struct Abandoned {};

class Management : public std::enable_shared_from_this<Management> {
public:
  Management(std::unique_ptr<Device> device, Table &table, const Options &options);
  void start();
  /// Ends both threads; false: the management thread hangs.
  bool stop();

  // Any thread.
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

  // The management thread.
  /// Calls the driver; throws Abandoned if that took too long.
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
  /// Whether it is done or will never be; throws nothing but Abandoned.
  bool isOver(const EventRef &event, bool *failed = nullptr);
  void later(TaskPointer task) { queue_.push_back(std::move(task)); }
  const Options &options() const { return options_; }
  Trace *trace() const { return options_.trace; }
  unsigned long nextUse() { return ++uses_; }
  bool isFull() const { return static_cast<int>(launched_.size()) >= options_.ahead; }

  // memory.cpp
  /// A buffer; null: not yet, something has to be copied out or to end first. Throws OutOfMemory.
  std::unique_ptr<Buffer> allocate(unsigned long bytes, bool &wait);
  /// For the record, unless it has one. False: not yet.
  bool provide(Record &record);
  /// Keeps it for the next of that size, or frees it.
  void putBack(std::unique_ptr<Buffer> buffer, unsigned long bytes);
  void freeDead();

  // copies.cpp
  /// Carries out a plan whose state is Go. `name`: for the trace.
  void copyIn(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name);
  void copyOut(const std::shared_ptr<Record> &record, const CopyPlan &plan, const char *name,
               const std::shared_ptr<LaunchEnd> &end = {});

  void launched(EventRef event, const Launch &launch) {
    if (launch.end)
      launch.end->expect();
    launched_.push_back({std::move(event), launch.name, launch.end});
    ++launches_;
    ahead_.store(static_cast<long>(launched_.size()), std::memory_order_relaxed);
  }
  /// A kernel in memory that is the processor's, too.
  void sharedUse(const std::shared_ptr<Record> &record, std::shared_ptr<Flight> flight,
                 const EventRef &event);
  void needsFlush() { needsFlush_ = true; }

  struct Count {
    std::atomic<unsigned long> launches = 0, copiesIn = 0, copiesOut = 0, bytesIn = 0, bytesOut = 0,
                               allocations = 0, evictions = 0, buffers = 0, bytes = 0;
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
    unsigned long since; // after so many launches
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
  bool hasStopped();
  void sayWaiting();
  bool copyOutRest();
  void shutDown();
  void lose(const DeviceError &why);
  void loseHanging();
  bool dropAll();
  void leakAll();
  /// And all that is in it: the driver may be using it.
  void leakMyself();
  std::vector<std::shared_ptr<Request>> beginLoss(const DeviceError &why);
  void freeBuffers();
  void watch();
  void giveUp();
  bool evictOne(bool &wait);
  /// Dead and resting buffers; whether there were any.
  bool freeUnused();
  void freeResting();
  void free(std::unique_ptr<Buffer> buffer, unsigned long bytes);

  std::unique_ptr<Device> device_;
  const Description about_;
  Table &table_;
  const Options options_;
  std::thread thread_, watchdog_;
  std::atomic<long> call_ = 0;
  std::atomic<bool> isLost_ = false;
  std::atomic<long> ahead_ = 0; // how many there are in launched_

  mutable std::mutex mutex_; // of these
  std::condition_variable wakeUp_, watchUp_, end_;
  std::vector<TaskPointer> incoming_;
  std::unordered_set<std::shared_ptr<Request>> pending_;
  std::optional<DeviceError> lost_;
  bool isAwake_ = false, isEnding_ = false, hasEnded_ = false, isAbandoned_ = false;

  // Of the management thread.
  std::deque<TaskPointer> queue_, held_;
  std::deque<Launched> launched_;
  std::deque<CopyingIn> copyingIn_;
  std::multimap<unsigned long, Resting> resting_; // by size, the oldest first
  unsigned long restingBytes_ = 0, launches_ = 0, uses_ = 0, rests_ = 0;
  long callBegan_ = 0;
  unsigned long lastProgress_ = 0, lastFreed_ = 0, lastLaunchEnd_ = 1; // times
  bool isCalled_ = false;                                              // when commands end
  bool needsFlush_ = false, hasSaidWaiting_ = false;
};

} // namespace pb::device
