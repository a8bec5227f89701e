// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Records what happened when: tasks of workers and of management threads, copies and kernels, for
// chrome://tracing or ui.perfetto.dev.
//
//   Trace trace;
//   trace.nameThread("GPU manager 0");                       // names the calling thread
//   { Trace::Scope s(&trace, "manage", "copy-in blur"); ... }   // a null trace records nothing
//   trace.onDevice(0, "kernel", "blur", span);               // nanoseconds of the device's clock
//   scheduler.setWatcher(&trace);                            // each task of its workers
//   trace.write("run.json");
//
// Each thread records in a list of its own, without a lock except for its first event; write() and events()
// may be called at any time and see what was complete then. Invariants: names outlive the trace (they are
// those of static tables); events of a device are mapped to the processor's clock such that none ends after
// it was seen to be done.
#pragma once
#include "runtime/device/device.h"
#include "runtime/task/scheduler.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pb::device {

class Trace : public task::TaskWatcher {
public:
  struct Event {
    const char *category, *name, *detail; // "manage", "copy-in", "blur"
    int device;                           // -1: a thread of the processor
    Span span;                            // nanoseconds; by the device's clock if device >= 0
    unsigned long seen;                   // when the processor saw that it was done
  };
  /// The events of one thread, in the order of their ends.
  struct Lane {
    std::string thread;
    std::vector<Event> events;
  };

  Trace();
  ~Trace() override;
  Trace(const Trace &) = delete;
  Trace &operator=(const Trace &) = delete;

  /// Nanoseconds since some time in the past.
  static unsigned long now();
  void nameThread(const std::string &name);
  void note(const char *category, const char *name, const char *detail, Span span);
  /// To be called when the event is seen to be done.
  void onDevice(int device, const char *category, const char *detail, Span span);

  unsigned long time() const override { return now(); }
  void ran(unsigned long begin) override { note("work", "task", "", {begin, now()}); }

  std::vector<Lane> lanes() const;
  /// Throws std::runtime_error if the file cannot be written.
  void write(const std::string &path) const;
  std::string text() const;

  class Scope {
  public:
    Scope(Trace *trace, const char *category, const char *name, const char *detail = "")
        : trace_(trace), category_(category), name_(name), detail_(detail), begin_(trace ? now() : 0) {}
    ~Scope() {
      if (trace_)
        trace_->note(category_, name_, detail_, {begin_, now()});
    }
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    Trace *trace_;
    const char *category_, *name_, *detail_;
    unsigned long begin_;
  };

private:
  struct Log;
  Log &mine();
  void append(const Event &);

  const unsigned long number_; // of this trace among all that were ever made
  mutable std::mutex mutex_;   // guards the list of logs
  std::vector<std::unique_ptr<Log>> logs_;
};

} // namespace pb::device
